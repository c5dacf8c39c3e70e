@rem The npm scripts that run until a signal ends them begin with exec: sh passes no signal on to its child.
@rem Windows has no exec. It looks here first, and runs what follows.
@%*
