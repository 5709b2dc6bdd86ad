import type { Suite } from "@wcs/conformance/engine/Suite"
import type { Blocked } from "@wcs/conformance/judgement/Blocked"
import { Session } from "@wcs/conformance/judgement/Session"
import { statusOf } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { ask, madeUp } from "./Asking.ts"
import { gatewayRules } from "./Catalogue.ts"
import { everyAnswer } from "./EveryAnswer.ts"
import type { Target } from "./Target.ts"
import { accessWalks } from "./walks/Access.ts"
import { personWalks } from "./walks/Persons.ts"
import { queryWalks } from "./walks/Queries.ts"
import { repetitionWalks } from "./walks/Repetitions.ts"

/** The command of the kit. */
export const command = "wcs-register-kit"

/** Sends a first query. A gateway that refuses its own secret cannot be judged. */
const preflight =
  (target: Target): Suite["preflight"] =>
  (session) =>
    ask(target, target.samples[0]?.question ?? madeUp("WWCC_NSW")).pipe(
      Effect.provideService(Session, session),
      Effect.map((exchange) =>
        [401, 403].includes(statusOf(exchange))
          ? `the gateway refused the token or password: it answered ${statusOf(exchange)}`
          : undefined
      ),
      Effect.catchTag("Blocked", ({ reason }: Blocked) => Effect.succeed(reason))
    )

/** The rules of the contract, and how a gateway is judged by them. */
export const suiteOf = (target: Target): Suite => ({
  command,
  rules: gatewayRules,
  walks: [...accessWalks(target), ...queryWalks(target), ...personWalks(target), ...repetitionWalks(target)],
  exchangeRules: everyAnswer,
  preflight: preflight(target)
})
