import { Data, Result, Schema } from "effect"
import { documentLimits } from "../document/Document.ts"
import type { CredentialView } from "../holding/Credential.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import { cardDetails } from "../screening/Answer.ts"
import { CredentialId, DocumentId } from "../shared/Id.ts"

const typeOfCard = CodeOfType.annotateKey({ description: "Type of the entered card." })

/** A card that an approval would correct. */
const corrected = {
  id: CredentialId,
  tag: Schema.String.annotate({ description: "The `ETag` of the credential." })
}

/** What an approval would do with an entered card, with what is recorded of the card now. */
export const Target = Schema.Struct({
  credentialType: typeOfCard,
  credential: Schema.NullOr(
    Schema.Struct({
      ...corrected,
      recorded: Schema.Struct(cardDetails).annotate({ description: "The present details of the credential." })
    })
  ).annotate({ description: "The card that an approval would correct; null if it would create one." })
})
export type Target = typeof Target.Type

/** A target as the caller has seen it. */
const SeenTarget = Schema.Struct({
  credentialType: typeOfCard,
  credential: Schema.NullOr(Schema.Struct(corrected)).annotate({
    description: "The card that the approval would correct; null if it would create one."
  })
})
type SeenTarget = typeof SeenTarget.Type

/** The most cards of an approval. */
const targetsMax = 100

/** The body of an approval. */
export const Approval = Schema.Struct({
  targets: Schema.optionalKey(
    Schema.Array(SeenTarget).check(Schema.isMaxLength(targetsMax, { message: `must have at most ${targetsMax} cards` }))
  ).annotateKey({
    description:
      "The `targets` of the answer as the caller has read them. With them, the approval is refused (412) if one of these " +
      "credentials was changed since, or if another one would be corrected."
  }),
  documents: Schema.optionalKey(
    Schema.Array(DocumentId).check(
      Schema.isMaxLength(documentLimits.ofRecord, { message: `must have at most ${documentLimits.ofRecord} documents` })
    )
  ).annotateKey({
    description:
      "Ids of the documents of the answer that the caller has read. With them, the approval is refused (412) if the " +
      "answer has others."
  })
})
export type Approval = typeof Approval.Type

/**
 * The card that an approval would write is not the one that the caller has read, or was changed since. Without a type: the
 * answer has other files.
 */
export class TargetChanged extends Data.TaggedError("TargetChanged")<{
  readonly credentialType: string | undefined
}> {}

/** What a person can say of a card, as it is recorded. */
export const recordedOf = (attributes: CredentialView["attributes"]): NonNullable<Target["credential"]>["recorded"] => {
  const { expiryDate, holder, identifier, issueNumber, issuingCountry } = attributes
  const said = { identifier, issueNumber, holder, issuingCountry, expiryDate }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** Fails unless the caller has seen what an approval would write. Without `seen` nothing is compared. */
export const requireSeen = (
  seen: ReadonlyArray<SeenTarget> | undefined,
  targets: ReadonlyArray<SeenTarget>
): Result.Result<void, TargetChanged> => {
  if (seen === undefined) return Result.void
  const isSeen = ({ credential, credentialType }: SeenTarget) => {
    const [before, ...others] = seen.filter((one) => one.credentialType === credentialType)
    if (before === undefined || others.length > 0) return false
    return before.credential?.id === credential?.id && before.credential?.tag === credential?.tag
  }
  const other = targets.find((target) => !isSeen(target))
  return other === undefined ? Result.void : Result.fail(new TargetChanged({ credentialType: other.credentialType }))
}
