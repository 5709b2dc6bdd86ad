import * as Expect from "../judgement/Expect.ts"
import { statusOf } from "../wire/Exchange.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

/** Rules about refusals of the legacy surface (§7.3). */
export const legacyErrorRules: ReadonlyArray<ExchangeRule> = [
  {
    rule: "LEG-26",
    appliesTo: (exchange) => exchange.kind === "legacy" && statusOf(exchange) === 401,
    judge: (exchanges) =>
      exchanges.flatMap((exchange) => [
        ...Expect.value(exchange, "status", 401),
        ...Expect.type(exchange, "message", "string"),
        ...Expect.present(exchange, "field", "the invalid field")
      ]),
    needs: ["legacy user"],
    whenUnseen: "not-applicable"
  }
]
