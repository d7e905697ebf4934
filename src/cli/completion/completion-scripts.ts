export type Shell = "bash" | "zsh" | "fish";

/**
 * Each script asks `rehearsal completion words` and leaves file names to the shell where nothing is offered. In bash the words are read
 * one by one: `compgen -W` expands them, and would run a command that is written in one.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `_rehearsal() {
  local word typed=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(rehearsal completion words -- "\${typed[@]}" 2>/dev/null)
}
complete -o default -F _rehearsal rehearsal
`,
  zsh: `#compdef rehearsal
_rehearsal() {
  local -a offered
  offered=("\${(@f)$(rehearsal completion words -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  if [[ -n "\${offered[1]}" ]]; then compadd -a offered; else _files; fi
}
if [ "$funcstack[1]" = "_rehearsal" ]; then _rehearsal "$@"; else compdef _rehearsal rehearsal; fi
`,
  fish: `function __rehearsal_words
  set -l typed (commandline -opc) (commandline -ct)
  rehearsal completion words -- $typed[2..-1] 2>/dev/null
end
complete -c rehearsal -a '(__rehearsal_words)'
`,
};
