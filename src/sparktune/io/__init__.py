"""The part that touches the world from the controller: sockets, HTTP, files, the store, the clock."""
