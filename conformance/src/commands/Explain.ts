import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ruleOf } from "../catalogue/Catalogue.ts"
import { explain } from "../report/Explain.ts"
import { explanationText } from "../report/ExplainText.ts"
import { checks } from "./Checks.ts"
import { Refused } from "./Refused.ts"

/** Explains one rule: its text, how it is judged, and the faults that break it. */
export const explainCommand = Command.make(
  "explain",
  {
    rule: Argument.String("rule").pipe(Argument.withDescription("The rule's id, such as OWN-04")),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ json, rule: id }) {
    const rule = ruleOf(id.toUpperCase())
    if (rule === undefined) return yield* new Refused({ message: `the catalogue has no rule called ${id}` })
    const explanation = explain(rule, checks())
    yield* Console.log(json ? JSON.stringify(explanation, null, 2) : explanationText(explanation))
  })
).pipe(Command.withDescription("Explain one rule"))
