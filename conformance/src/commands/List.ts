import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { areas, ruleOf } from "../catalogue/Catalogue.ts"
import { explain, list } from "../report/Explain.ts"
import { listText } from "../report/ExplainText.ts"
import { checks } from "./Checks.ts"
import { Refused } from "./Refused.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Lists all rules, or the selected ones. */
export const listCommand = Command.make(
  "list",
  {
    area: Flag.String("area").pipe(Flag.withDescription("Only rules of an area, such as OWN"), Flag.optional),
    level: Flag.Literals("level", ["MUST", "SHOULD", "MAY", "OBSERVE"]).pipe(
      Flag.withDescription("Only rules of a level"),
      Flag.optional
    ),
    unchecked: flag("unchecked", "Only rules that this release does not check"),
    silent: flag("silent", "Only observations: they are recorded and never judged"),
    json: flag("json", "Print JSON, with the walks that judge each rule and the faults that break it")
  },
  Effect.fnUntraced(function* ({ area, json, level, silent, unchecked }) {
    if (Option.isSome(area) && !areas.includes(area.value.toUpperCase())) {
      return yield* new Refused({ message: `--area takes one of ${areas.join(", ")}` })
    }
    const rules = list(
      {
        ...(Option.isSome(area) ? { area: area.value } : {}),
        ...(Option.isSome(level) ? { level: level.value } : {}),
        unchecked,
        silent
      },
      checks()
    )
    const explained = () => rules.flatMap(({ id }) => ruleOf(id) ?? []).map((rule) => explain(rule, checks()))
    yield* Console.log(json ? JSON.stringify(explained(), null, 2) : listText(rules))
  })
).pipe(Command.withDescription("List the rules"))
