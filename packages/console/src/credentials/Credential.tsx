import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { emptySlot, mayReadOwners, nameOfIncluded, personKinds } from "../people/Person.ts"
import { Decide } from "../records/Decide.tsx"
import { Deleted } from "../records/Deleted.tsx"
import { Deletion } from "../records/Deletion.tsx"
import { RecordId } from "../records/RecordId.tsx"
import { useIsLimited } from "../records/Unit.tsx"
import { lazyPart } from "../shell/LazyPart.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { EditCredential } from "./EditCredential.tsx"
import { OwnershipHistory, VerificationHistory } from "./Histories.tsx"
import { NextStep } from "./NextStep.tsx"
import type { OwnerChange } from "./OwnerDialog.tsx"
import { RecordNotice } from "./RecordNotice.tsx"
import { Review } from "./Review.tsx"
import { Slots } from "./Slots.tsx"

const Documents = lazyPart(async () => (await import("./Documents.tsx")).Documents)
const OwnerDialog = lazyPart(async () => (await import("./OwnerDialog.tsx")).OwnerDialog)

type CredentialData = Data<"GET /credentials/:id">

const nameOf = ({ holder }: CredentialData["attributes"]): string | undefined =>
  holder === undefined ? undefined : [holder.firstName, holder.middleName, holder.lastName].filter(Boolean).join(" ")

/** The names of the owners by id, if the person may read them. */
const namesOf = ({ owners }: CredentialData): Readonly<Record<string, string>> =>
  Object.fromEntries(
    personKinds.flatMap((kind) => {
      const owner = owners?.[kind]
      return owner == null ? [] : [[owner.id, nameOfIncluded(owners, kind) ?? owner.id]]
    })
  )

/** The type of a credential; undefined until the catalogue is there. */
const useType = (code: string) => useRead("GET /credential-types", {}).data?.data.find((type) => type.code === code)

/** The decision in force. */
const decisionFacts = ({ decision }: CredentialData["attributes"]) =>
  decision === undefined
    ? []
    : ([
        ["Decision", <Badge key="decision" value={decision.outcome} />],
        ["Decided because", decision.reason],
        ["Decision ends", <CalendarDay key="ends" day={decision.endsOn} isNear />]
      ] as const)

/** The verdict, and the fields that it depends on. */
const Verdict = ({
  credential: { attributes, deletedAt, id },
  mayDecide,
  onEdit
}: {
  readonly credential: CredentialData
  readonly mayDecide: boolean
  /** Undefined if the person may not change the credential. */
  readonly onEdit: (() => void) | undefined
}) => {
  const type = useType(attributes.credentialType)
  return (
    <section class="block">
      <h2>Verdict</h2>
      <Facts
        facts={[
          ["Eligibility", attributes.eligibility === undefined ? undefined : <Badge value={attributes.eligibility} />],
          ["Detail", attributes.statusDetail === undefined ? undefined : wordsOf(attributes.statusDetail)],
          ["Expires", <CalendarDay key="expires" day={attributes.expiryDate} isNear />],
          ["Verified", <Time key="verified" at={attributes.lastVerifiedAt} />],
          [
            "Last known",
            attributes.lastKnown === undefined ? undefined : <Badge value={attributes.lastKnown.eligibility} />
          ],
          ...decisionFacts(attributes),
          ["Type", type?.displayName ?? attributes.credentialType],
          ["Identifier", attributes.identifier],
          ["Holder", nameOf(attributes)],
          ["Jurisdiction", attributes.jurisdiction],
          ["Id", <RecordId key="id" id={id} />]
        ]}
      />
      {deletedAt === undefined ? (
        <NextStep attributes={attributes} mayDecide={mayDecide} type={type} onEdit={onEdit} />
      ) : null}
    </section>
  )
}

type DialogKind = OwnerChange | "edit" | "review" | "decide" | "notice" | "delete"

const OwnerOutside = () => (
  <span class="quiet">
    Another owner is outside your units: ask a user who reaches each owner to change, verify or restore this credential.
  </span>
)

/** The buttons of a credential, for those who may use them. */
const Actions = ({
  bounds,
  credential,
  onDialog
}: {
  readonly credential: CredentialData
  readonly bounds: Data<"GET /credentials/:id/decidable"> | undefined
  readonly onDialog: (dialog: DialogKind) => void
}) => {
  const may = useMay()
  const own = useMe()?.worker
  const verify = useChange("POST /credentials/:id/verify")
  const { credentialType, eligibility, owners } = credential.attributes
  const type = useType(credentialType)
  const isOwn = own != null && owners.worker === own.id
  if (bounds?.ownerOutside === true) {
    return (
      <>
        {may("credential:UPDATE") ? (
          <button type="button" onClick={() => onDialog("transfer")}>
            Transfer
          </button>
        ) : null}
        <OwnerOutside />
      </>
    )
  }
  const empty = emptySlot(owners)
  const isShared = personKinds.filter((kind) => owners[kind] !== null).length > 1
  const button = (dialog: DialogKind, words: string) => (
    <button type="button" onClick={() => onDialog(dialog)}>
      {words}
    </button>
  )
  return (
    <>
      {may("credential:UPDATE") ? (
        <>
          {empty === undefined ? null : button("link", `Link ${empty[1]}`)}
          {isShared ? button("unlink", "Unlink") : null}
          {button("transfer", "Transfer")}
          {button("edit", "Edit")}
          {type?.verifiable === false ? null : (
            <Button
              class="main"
              disabled={isOwn}
              isBusy={verify.isPending}
              onClick={() => verify.mutate({ params: { id: credential.id }, body: { forceRefresh: true } })}
            >
              Verify
            </Button>
          )}
        </>
      ) : null}
      {isOwn ? <span class="quiet">Nobody verifies their own credentials: ask another user.</span> : null}
      {may("verification:UPDATE") && !isOwn && type?.manual === true && eligibility === "IN_PROGRESS"
        ? button("review", "Decide by hand")
        : null}
      {may("verification:UPDATE") && bounds !== undefined && bounds.outcomes.length > 0
        ? button("decide", "Decide")
        : null}
      {may("verification:UPDATE") && !isOwn && type?.verifiable === true ? button("notice", "Record a notice") : null}
      {may("credential:DELETE") ? (
        <button type="button" class="danger" onClick={() => onDialog("delete")}>
          Delete
        </button>
      ) : null}
      <Problem error={verify.error} />
    </>
  )
}

/** What the person can decide about the credential, or change if limited to units; undefined without the privileges. */
const useBounds = (id: string, isWaiting: boolean): Data<"GET /credentials/:id/decidable"> | undefined => {
  const may = useMay()
  const isLimited = useIsLimited()
  const isWanted = (may("verification:UPDATE") || isLimited) && may("credential:READ") && may("worker:READ")
  const options = isWaiting ? { isWanted, everySeconds: 3 } : { isWanted }
  return useRead("GET /credentials/:id/decidable", { params: { id } }, options).data?.data
}

/** A credential: verdict, owners, and the history of both. */
export const Credential = ({ id }: { readonly id: string }) => {
  const [dialog, setDialog] = useState<DialogKind | null>(null)
  const [isWaiting, setIsWaiting] = useState(false)
  const may = useMay()
  const read = useRead(
    "GET /credentials/:id",
    { params: { id }, query: { include: mayReadOwners(may) ? "owners" : "", includeDeleted: "true" } },
    isWaiting ? { everySeconds: 3 } : {}
  )
  const credential = read.data?.data
  const waits = credential?.attributes.eligibility === "IN_PROGRESS"
  if (credential !== undefined && waits !== isWaiting) setIsWaiting(waits)
  const bounds = useBounds(id, isWaiting)
  const isOutside = bounds?.ownerOutside === true
  const type = useType(credential?.attributes.credentialType ?? "")
  const close = () => setDialog(null)
  const deletedAt = credential?.deletedAt
  const { credentialType = "Credential", identifier = "" } = credential?.attributes ?? {}
  const name = `${credentialType} ${identifier}`.trim()
  return (
    <Screen
      title={name}
      actions={
        credential === undefined ? null : deletedAt === undefined ? (
          <Actions credential={credential} bounds={bounds} onDialog={setDialog} />
        ) : isOutside ? (
          <OwnerOutside />
        ) : null
      }
    >
      <Loaded read={read}>
        {({ data }) => (
          <div class="group">
            {deletedAt === undefined ? null : (
              <Deleted
                list="credentials"
                id={id}
                name={name}
                at={deletedAt}
                erasedAt={data.attributes.erasedAt}
                isAllowed={may("credential:DELETE") && !isOutside}
              />
            )}
            <Verdict
              credential={data}
              mayDecide={(bounds?.outcomes.length ?? 0) > 0}
              onEdit={may("credential:UPDATE") && !isOutside ? () => setDialog("edit") : undefined}
            />
            <section class="block">
              <h2>Owners</h2>
              <Slots owners={data.attributes.owners} names={namesOf(data)} />
            </section>
            {deletedAt === undefined && bounds?.ownerOutside !== true ? <Documents id={id} /> : null}
            <OwnershipHistory id={id} names={namesOf(data)} />
            <VerificationHistory id={id} />
          </div>
        )}
      </Loaded>
      {credential === undefined || dialog === null ? null : dialog === "delete" ? (
        <Deletion list="credentials" id={id} name={name} staysHere onClose={close}>
          <p>It no longer counts for its owners. It can be restored.</p>
        </Deletion>
      ) : dialog === "edit" ? (
        <EditCredential id={id} name={name} onClose={close} />
      ) : dialog === "review" ? (
        <Review credential={credential} name={name} onClose={close} />
      ) : dialog === "decide" ? (
        bounds === undefined ? null : (
          <Decide list="credentials" id={id} bounds={bounds} name={name} onClose={close} />
        )
      ) : dialog === "notice" ? (
        <RecordNotice id={id} name={name} barsOthers={type?.barsOthers ?? false} onClose={close} />
      ) : (
        <OwnerDialog change={dialog} credential={credential} names={namesOf(credential)} onClose={close} />
      )}
    </Screen>
  )
}
