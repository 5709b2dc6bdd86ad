import type { ExchangeRule } from "./ExchangeRule.ts"
import { bodyRules } from "./exchanges/Bodies.ts"
import { errorRules } from "./exchanges/Errors.ts"
import { idRules } from "./exchanges/Ids.ts"
import { legacyErrorRules } from "./exchanges/LegacyErrors.ts"
import { rateLimitRules } from "./exchanges/RateLimitHeaders.ts"

/** Every rule that all exchanges of a run are judged by. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = [
  ...bodyRules,
  ...idRules,
  ...errorRules,
  ...legacyErrorRules,
  ...rateLimitRules
]
