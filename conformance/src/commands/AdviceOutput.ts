import { Console, Effect } from "effect"
import { adviceOn } from "../report/Advice.ts"
import type { Exchange } from "../wire/Exchange.ts"

/** Writes advice to standard error if the last exchange shows that there is nothing to judge. */
export const printAdvice = (last: Exchange): Effect.Effect<void> => {
  const advice = adviceOn(last)
  return advice === undefined ? Effect.void : Console.error(`wcs-conformance: ${advice}`)
}
