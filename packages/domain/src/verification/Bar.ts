import type { Recheck } from "../crud/ChangeRecords.ts"
import type { CredentialFields } from "../holding/Credential.ts"
import { barredTogether } from "../holding/CredentialType.ts"
import type { StatusDetail, Verdict } from "../holding/Verification.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import { ownersIn } from "../ownership/Ownership.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"

// Several states have laws by which a bar elsewhere ends their own clearance at that moment (DECISIONS.md#registers).

/** Verdicts that keep a person from work because of what an authority decided about them. */
const bars: ReadonlyArray<StatusDetail> = [
  "CANCELLED",
  "REVOKED",
  "BARRED",
  "INTERIM_BARRED",
  "NEGATIVE_NOTICE",
  "EXCLUDED"
]

const isBar = ({ statusDetail }: Partial<Verdict>): boolean => statusDetail !== undefined && bars.includes(statusDetail)

/** The last verdict that a register or a reviewer gave. */
const lastGiven = ({ attributes }: CredentialFields): Partial<Verdict> => attributes.lastKnown ?? attributes

/**
 * The recheck after a verdict: the other cards of the same owners, if the card was not barred before. A verdict that a
 * recheck brought causes none, because the bar before it has started all of them.
 */
export const recheckAfter = (
  before: Stored<CredentialFields>,
  verdict: Verdict,
  open: ReadonlyArray<VerificationDraft>,
  now: Instant,
  verificationId: () => string
): Recheck | undefined => {
  const { credentialType, owners } = before.fields.attributes
  const [cause] = open
  const isNew = isBar(verdict) && !isBar(lastGiven(before.fields))
  const isCaused = open.some(({ trigger }) => trigger === "bar")
  if (!isNew || isCaused || cause === undefined || !barredTogether.includes(credentialType)) return undefined
  const { account, correlationId, requestId } = cause
  const started = { correlationId, requestId, trigger: "bar", account, requestedAt: now, outcome: null } as const
  return {
    people: ownersIn(owners),
    credentialTypes: barredTogether,
    decide: (held) =>
      held
        .filter(({ id }) => id !== before.id)
        .map(({ id: credentialId }) => ({ ...started, id: verificationId(), credentialId }))
  }
}
