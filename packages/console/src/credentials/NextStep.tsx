import type { Data, Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { valueAt } from "../records/Edited.ts"
import { fieldLabels } from "../records/FieldLabels.ts"

type Attributes = Data<"GET /credentials/:id">["attributes"]
type CredentialType = Item<"GET /credential-types">

/** The labels of the fields that the register is asked with and that the credential lacks. */
const missingFrom = (attributes: Attributes, { askedWith }: CredentialType): ReadonlyArray<string> =>
  askedWith
    .filter((path) => (valueAt(attributes, path) ?? null) === null)
    .map((path) => fieldLabels[`attributes.${path}`] ?? path)

interface Editing {
  /** Undefined if the person may not change the credential. */
  readonly onEdit: (() => void) | undefined
}

const DetailsMissing = ({ missing, onEdit }: Editing & { readonly missing: string }) => (
  <div class="notice">
    <p>The register is not asked without these details: {missing}. It is asked as soon as they are saved.</p>
    {onEdit === undefined ? (
      <p>Ask somebody who may change credentials to add them.</p>
    ) : (
      <button type="button" onClick={onEdit}>
        Add the missing details
      </button>
    )}
  </div>
)

/** How the register differs from a credential with a mistyped number, name or date. */
const differences: Readonly<Record<string, string>> = {
  NOT_FOUND: "The register knows no card with this number",
  NAME_MISMATCH: "The register has the card with another name",
  DETAILS_MISMATCH: "The register has the card with other details"
}

const MaybeMistyped = ({ difference, onEdit }: Editing & { readonly difference: string }) => (
  <div class="notice">
    <p>
      {difference}. Compare the number, the name and the dates with the card. The register is asked again when a
      correction is saved.
    </p>
    {onEdit === undefined ? (
      <p>Ask somebody who may change credentials to correct them.</p>
    ) : (
      <button type="button" onClick={onEdit}>
        Correct the details
      </button>
    )}
  </div>
)

const Undecided = ({ mayDecide }: { readonly mayDecide: boolean }) => (
  <p class="notice">
    The register answered, but a person has to judge its answer.{" "}
    {mayDecide
      ? "Read the conditions at the register, and then decide. Verify again after they change."
      : "Ask somebody who may decide about this credential."}
  </p>
)

/** The way to a source of the register, for those who may go there. */
const SourceLink = ({ code }: Pick<CredentialType, "code">) => {
  const may = useMay()
  const registers = useRead("GET /verification-sources/registers", {}, { isWanted: may("verificationSource:READ") })
  const sourceId = registers.data?.data.find(({ credentialType }) => credentialType === code)?.sourceId ?? null
  if (sourceId !== null) {
    return (
      <a class="button" href={`/console/verification-sources/${sourceId}`}>
        Show the source
      </a>
    )
  }
  return may("verificationSource:CREATE") ? (
    <a class="button" href={`/console/verification-sources/new?credentialType=${code}`}>
      Set up the source
    </a>
  ) : (
    <p>Ask an administrator to set up the source.</p>
  )
}

const SourceMissing = ({ code, displayName }: Pick<CredentialType, "code" | "displayName">) => (
  <div class="notice">
    <p>
      The register was not asked, because your organization had no source with a secret for it: {displayName}. Verify
      the credential again when the source is set up.
    </p>
    <SourceLink code={code} />
  </div>
)

/** What the person can do about a verdict that clears nobody yet. */
export const NextStep = ({
  attributes,
  mayDecide,
  onEdit,
  type
}: Editing & {
  /** Whether this person may decide about the credential now. */
  readonly mayDecide: boolean
  readonly attributes: Attributes
  /** Undefined until the catalogue is there. */
  readonly type: CredentialType | undefined
}) => {
  const { statusDetail: detail } = attributes
  if (type === undefined) return null
  if (detail === "DETAILS_MISSING")
    return <DetailsMissing missing={missingFrom(attributes, type).join(", ")} onEdit={onEdit} />
  if (detail === "SOURCE_NOT_CONFIGURED") return <SourceMissing {...type} />
  const difference = differences[detail ?? ""]
  // A person, not a register, gives the verdict about a manual type.
  if (difference !== undefined && !type.manual) return <MaybeMistyped difference={difference} onEdit={onEdit} />
  if (attributes.eligibility !== "REVIEW_REQUIRED") return null
  return attributes.decision === undefined ? (
    <Undecided mayDecide={mayDecide} />
  ) : (
    <p class="notice">A person has decided about this answer. The decision counts in compliance until its last day.</p>
  )
}
