# shellcheck shell=bash
# The user's own component, which lays down SAS.

run_component() {
  local component=${SAS_IMAGE_COMPONENT_DIR:-} status=0
  if [[ -z $component || ! -e $component/install ]]; then
    log "no component of yours ${component:+($component/install) }is there: SAS comes from elsewhere"
    return
  fi
  [[ -x $component/install ]] || die "$EXIT_ERROR" "$component/install is not executable: chmod +x it in your component"
  log "$component/install begins"
  (cd "$component" && ./install) || status=$?
  ((status == 0)) ||
    die "$EXIT_ERROR" "$component/install failed ($status); what it said is above; mend it and build again"
  log "$component/install ended well"
}
