"""The wheel's tag: any Python 3, no ABI of Python, and the platform that WHEEL_PLATFORM names."""
import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + os.environ["WHEEL_PLATFORM"]
