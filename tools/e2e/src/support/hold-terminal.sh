# Runs a command in the terminal that this is started in, and holds the terminal when the command has ended: what has been
# written to a terminal is lost when the first process of its session ends before it was read. Tells the id of the
# command's process and its exit code as control sequences (OSC 7777), which no terminal shows. To be ended by SIGKILL.
trap : HUP INT QUIT TERM
sh -c 'printf "\033]7777;pid=%s\007" "$$"; exec "$@"' sh "$@"
printf '\033]7777;code=%s\007' "$?"
kill -STOP "$$"
