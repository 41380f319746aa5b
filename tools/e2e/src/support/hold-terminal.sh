# Runs a command in the terminal that this is started in, and holds the terminal when the command has ended: what has been
# written to a terminal is lost when the first process of its session ends before it was read. Tells the id of the
# command's process and its exit code as control sequences (OSC 7777), which no terminal shows. To be ended by SIGKILL.
trap : INT QUIT TERM # not HUP: when the terminal is closed, both end
exec 3>&2 2>/dev/null # what the shell says of a command that a signal has ended is not the command's
sh -c 'printf "\033]7777;pid=%s\007" "$$"; exec "$@"' sh "$@" 2>&3 3>&-
printf '\033]7777;code=%s\007' "$?"
kill -STOP "$$"
