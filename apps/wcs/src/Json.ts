import { Flag, GlobalFlag } from "effect/cli"

/** `--json`, understood by every command. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Answer with one JSON object on standard output"),
    Flag.withDefault(false)
  )
})
