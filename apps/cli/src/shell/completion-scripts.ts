// One script a shell. Each asks `portico __complete` and falls back to files.

export const scripts = Object.freeze({
  bash: `# portico completion for bash
_portico() {
  local word words=() last typed
  # Bash breaks words at colons, which ids may have: they are put together again.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    last=$((\${#words[@]} - 1))
    if ((last >= 0)) && [[ $word == :* || \${words[last]} == *: ]]; then words[last]+=$word; else words+=("$word"); fi
  done
  typed=\${words[\${#words[@]} - 1]}
  # Line by line, without the expansion of patterns. The bash of macOS has no mapfile.
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(portico __complete -- "\${words[@]}" 2>/dev/null)
  if [[ $typed == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${typed%:*}:"}"); fi
}
complete -o default -F _portico portico
`,
  zsh: `#compdef portico
_portico() {
  local -a found
  found=("\${(@f)$(portico __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == _portico ]]; then _portico "$@"; else compdef _portico portico; fi
`,
  fish: `# portico completion for fish
function __portico_complete
  portico __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c portico -a '(__portico_complete)'
`,
});
