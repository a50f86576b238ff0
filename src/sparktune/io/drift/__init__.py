"""Read a service where it runs: its files, its processes, its logs and its server's answers, through its nodes."""
