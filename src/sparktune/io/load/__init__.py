"""The stopwatch: send requests, stamp what arrives, understand nothing."""
