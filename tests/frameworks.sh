# frameworks.sh - where tests find torch, Triton, NVRTC, nvJitLink and libNVVM. For tests/run.sh and
# tests/one.sh, which read it by `.`. What is absent here is skipped.
#
# scripts/check installs these while the first suites run. It holds the lock build/installing.

# Test files that may need what is being installed.
frameworks_in='job_python|units_|ptxas|nvrtc|nvjitlink|nvvm|torch|triton|baseline'
frameworks_in="$frameworks_in|-python[.]sh|moto_start"

frameworks_find() {
	if E2E_PYTHON=$(sh scripts/torch-python.sh); then
		E2E_VENV=$("$E2E_PYTHON" -c 'import sys; print(sys.prefix)')
		export E2E_PYTHON E2E_VENV
	fi
	if frameworks_places=$(sh scripts/nvrtc.sh); then
		eval "$frameworks_places"
		export E2E_NVRTC E2E_NVRTC_OLD E2E_NVJITLINK E2E_NVJITLINK_OLD E2E_NVRTC_INCLUDE \
			E2E_NVRTC_PYTHON E2E_NVVM E2E_NVVM_OLD E2E_LIBDEVICE E2E_NUMBA
	fi
	export E2E_FRAMEWORKS=found
}
