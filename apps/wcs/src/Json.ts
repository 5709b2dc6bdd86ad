import { Flag, GlobalFlag } from "effect/cli"

/** The flag `--json` of every command. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Print the result as one JSON object"), Flag.withDefault(false))
})
