import { bodyRules } from "./Bodies.ts"
import { callersIdRules } from "./CallersIds.ts"
import { changeRules } from "./Changes.ts"
import { createRules } from "./Creates.ts"
import { deliveryRules } from "./DeliveryRules.ts"
import { errorRules } from "./Errors.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"
import { idRules } from "./Ids.ts"
import { legacyAnswerRules } from "./LegacyAnswers.ts"
import { legacyErrorRules } from "./LegacyErrors.ts"
import { rateLimitRules } from "./RateLimitHeaders.ts"
import { refusalRules } from "./Refusals.ts"
import { secretRules } from "./SecretsShown.ts"
import { shownRules } from "./Shown.ts"
import { tokenRules } from "./Tokens.ts"
import { turnRules } from "./Turns.ts"

/** Every rule that applies to all exchanges of a run. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = [
  ...bodyRules,
  ...idRules,
  ...errorRules,
  ...legacyErrorRules,
  ...legacyAnswerRules,
  ...rateLimitRules,
  ...callersIdRules,
  ...refusalRules,
  ...tokenRules,
  ...turnRules,
  ...createRules,
  ...shownRules,
  ...changeRules,
  ...deliveryRules,
  ...secretRules
]
