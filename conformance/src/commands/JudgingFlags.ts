import { Flag } from "effect/cli"

/** The flags of every command that judges. */
export const judgingFlags = {
  failOn: Flag.Literals("fail-on", ["must", "should"]).pipe(
    Flag.withDescription("The lowest level whose breach gives exit code 1"),
    Flag.withDefault("must")
  ),
  annotations: Flag.Literals("annotations", ["github"]).pipe(
    Flag.withDescription("Also print a line for each rule with a problem, which GitHub shows at the workflow"),
    Flag.optional
  ),
  noColor: Flag.Boolean("no-color").pipe(Flag.withDescription("Plain text"), Flag.withDefault(false)),
  list: Flag.Boolean("list").pipe(
    Flag.withDescription("Also list the rules that were not judged, with the reasons"),
    Flag.withDefault(false)
  ),
  quiet: Flag.Boolean("quiet").pipe(Flag.withDescription("Print only the headline"), Flag.withDefault(false))
}
