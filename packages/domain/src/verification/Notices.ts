import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import * as Credential from "../holding/Credential.ts"
import { Notice, type VerificationDraft } from "../holding/VerificationRecord.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import type { Shown } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import { ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt, instantOn, momentAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { fromRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { type OwnCard, type Refused, refusedAsOwn } from "./OwnCard.ts"
import * as VerificationRun from "./VerificationRun.ts"
import { type Call, VerificationStore } from "./VerificationStore.ts"
import { ConclusiveStatusDetail, draftOf, NotVerifiable } from "./Verifications.ts"

/** The body of a recorded notice. */
export const NoticeRequest = Schema.Struct({
  statusDetail: ConclusiveStatusDetail.annotateKey({ description: "What the notice says about the card." }),
  ...Notice.fields
})
export type NoticeRequest = typeof NoticeRequest.Type

type StoredCredential = Stored<Credential.CredentialFields>

/** Whether the last verdict is of a later day than the notice, so that it stands. Days are those of the zone. */
const isOutdated = (
  { attributes: { lastVerifiedAt } }: Credential.CredentialFields,
  issuedOn: string,
  timeZone: string
): boolean => {
  const answeredAt = lastVerifiedAt === undefined ? undefined : fromRfc3339(lastVerifiedAt)
  return answeredAt !== undefined && dayAt(answeredAt, timeZone) > issuedOn
}

/** Records what a register told by letter (DECISIONS.md#registers). */
export class Notices extends Context.Service<
  Notices,
  {
    /**
     * Records a notice at any time, and returns the credential. Its verdict replaces an older one until the register
     * answers again. If the register has answered after the day of the notice, only the history has it, with a warning.
     */
    readonly record: (
      credentialId: string,
      notice: NoticeRequest
    ) => Effect.Effect<
      Shown<Credential.CredentialView>,
      InvalidArgument | ResourceNotFound | NotVerifiable | OwnCard | OwnerOutside | PreconditionFailed,
      Caller | RequestId
    >
  }
>()("@wcs/domain/Notices") {}

const outdated =
  "issuedOn is before the day of the last verdict, so that verdict stays and only the history has the notice"

/** The change by a notice. */
const noticed = (
  before: StoredCredential,
  draft: VerificationDraft & { readonly outcome: NonNullable<VerificationDraft["outcome"]> },
  by: VerificationRun.Concluding,
  changes: boolean
) => {
  const action = "notice"
  const { next, records } = VerificationRun.conclude(before, [draft], draft.outcome, { ...by, action }, changes)
  const audit = changes ? records.audit : [VerificationRun.auditOf(before.id, action, [draft], by)]
  const written = { ...records, audit, events: changes ? records.events : [], verifications: [draft] }
  return { next, records: written } satisfies Call
}

export const make = Effect.gen(function* () {
  const store = yield* VerificationStore
  const notifications = yield* Notifications.Notifications
  const ids = yield* Ids

  return Notices.of({
    record: Effect.fn("Notices.record")(function* (id, { issuedOn, reference, statusDetail }) {
      const caller = yield* Caller
      const condition = yield* Precondition
      const credentialId = yield* Effect.fromResult(requireId(Credential.Credential, id))
      const actor = actorOf(caller, yield* RequestId)
      const correlationId = yield* ids.ulid
      const verificationId = ids.source("verification")
      const now = yield* Clock.currentTimeMillis
      const by = {
        ...momentAt(now, caller.timeZone),
        actor,
        auditId: ids.source("audit"),
        eventId: ids.source("event"),
        verificationId
      }
      if (issuedOn > by.today) {
        return yield* new InvalidArgument({ field: "issuedOn", reason: "must not be in the future" })
      }
      const decided = yield* store.begin(
        caller.tenantId,
        credentialId,
        ({
          credential
        }): Result.Result<
          (ReturnType<typeof noticed> & { readonly warnings: ReadonlyArray<string> }) | Refused,
          ResourceNotFound | NotVerifiable | OwnerOutside | PreconditionFailed
        > => {
          if (Option.isNone(credential) || !isVisible(credential.value, false)) {
            return Result.fail(new ResourceNotFound({ entityType: "credential", id }))
          }
          const { fields } = credential.value
          if (!Credential.isVerifiable(fields)) {
            return Result.fail(new NotVerifiable({ credentialType: fields.attributes.credentialType }))
          }
          const holds = checkPrecondition(condition, () => tagAt(Credential.Credential, credential.value, by).text)
          const may = Result.andThen(holds, () => requireOwners("notice", credential.value))
          if (Result.isFailure(may)) return Result.fail(may.failure)
          const refused = refusedAsOwn(caller, credential.value, "notice", { ...by, auditId: by.auditId() })
          if (refused !== undefined) return Result.succeed(refused)
          // The verdict is of the day of the notice, so that a later notice outranks one that was recorded late.
          const verifiedAt = Math.min(now, instantOn(issuedOn, caller.timeZone))
          const outcome = VerificationRun.found(fields, statusDetail, null, verifiedAt)
          const asking = { actor, correlationId, now, trigger: "notice", verificationId: verificationId() } as const
          const draft = { ...draftOf(id, asking, outcome), outcome, notice: { issuedOn, reference } }
          const counts = !isOutdated(fields, issuedOn, caller.timeZone)
          return Result.succeed({
            ...noticed(credential.value, draft, by, counts),
            warnings: counts ? [] : [outdated]
          })
        }
      )
      if ("refusal" in decided) return yield* decided.refusal
      const { next, warnings } = decided
      yield* notifications.notify(Notifications.deliveryDue)
      yield* notifications.notify(Notifications.verificationDue)
      const document = Credential.documentOn(next, by.today)
      return { document, warnings, tag: tagAt(Credential.Credential, next, by) }
    })
  })
})

export const layer = Layer.effect(Notices, make)
