import type { Data, Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { valueAt } from "../records/Edited.ts"
import { fieldLabels } from "../records/FieldLabels.ts"

type Attributes = Data<"GET /credentials/:id">["attributes"]
type CredentialType = Item<"GET /credential-types">

/** The labels of the fields that the register is asked with and that the credential lacks. */
const missingFrom = (attributes: Attributes, { askedWith }: CredentialType): ReadonlyArray<string> =>
  askedWith
    .filter((path) => (valueAt(attributes, path) ?? null) === null)
    .map((path) => fieldLabels[`attributes.${path}`] ?? path)

const DetailsMissing = ({ missing, onEdit }: { readonly missing: string; readonly onEdit: () => void }) => (
  <div class="notice">
    <p>The register is not asked without these details: {missing}. It is asked as soon as they are saved.</p>
    {useMay()("credential:UPDATE") ? (
      <button type="button" onClick={onEdit}>
        Add the missing details
      </button>
    ) : (
      <p>Ask somebody who may change credentials to add them.</p>
    )}
  </div>
)

/** What the person can do about a verdict that clears nobody yet. */
export const NextStep = ({
  attributes,
  onEdit,
  type
}: {
  readonly attributes: Attributes
  /** Undefined until the catalogue is there. */
  readonly type: CredentialType | undefined
  readonly onEdit: () => void
}) => {
  if (type === undefined) return null
  if (attributes.statusDetail === "DETAILS_MISSING")
    return <DetailsMissing missing={missingFrom(attributes, type).join(", ")} onEdit={onEdit} />
  return attributes.eligibility === "REVIEW_REQUIRED" ? (
    <p class="notice">
      The register answered, but a person has to judge its answer: read the conditions at the register. Verify again
      after they change. A decision by hand is only for credentials that no register answers.
    </p>
  ) : null
}
