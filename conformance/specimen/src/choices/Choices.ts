import { accessChoices } from "./Access.ts"
import { answerChoices } from "./Answers.ts"
import { eventChoices } from "./Events.ts"
import { legacyChoices } from "./LegacySurface.ts"
import { ownerChoices } from "./Owners.ts"
import { resourceChoices } from "./Resources.ts"
import type { Choice } from "./Rows.ts"

/** Every choice of the second server. */
export const choices: ReadonlyArray<Choice> = [
  ...accessChoices,
  ...resourceChoices,
  ...ownerChoices,
  ...eventChoices,
  ...legacyChoices,
  ...answerChoices
]

/** Two choices that no server has together, by their names. */
export const incompatible: ReadonlyArray<readonly [one: string, other: string]> = [
  // without the position in the profile, the suite knows a secret by the name of its field
  ["place of a new webhook's secret: hmac.value", "a secret in reads of a webhook: masked"],
  // nobody knows a secret that was never shown
  ["place of a new webhook's secret: none", "secret that signs after a rotation: the first one"],
  // a token that is exchanged for another one ends
  ["Bearer on the token path: accepted", "legacy tokens of a user: one"],
  // the profile has no scan, so that no call shows a missing permission
  ["an empty scan: 400", "constituents: for nobody"]
]
