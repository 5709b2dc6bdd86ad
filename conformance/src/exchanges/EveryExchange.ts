import { bodyRules } from "./Bodies.ts"
import { errorRules } from "./Errors.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"
import { idRules } from "./Ids.ts"
import { legacyErrorRules } from "./LegacyErrors.ts"
import { rateLimitRules } from "./RateLimitHeaders.ts"

/** Every rule that applies to all exchanges of a run. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = [
  ...bodyRules,
  ...idRules,
  ...errorRules,
  ...legacyErrorRules,
  ...rateLimitRules
]
