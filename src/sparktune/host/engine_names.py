"""Which inference engine a process or a container belongs to; the names are those of the engines."""

__all__ = ["Role", "engine_of_image", "role_of"]

from sparktune.engines._names import Role, engine_of_image, role_of
