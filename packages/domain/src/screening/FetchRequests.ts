import { Context, Data, Effect, Layer, Result, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import { CallerEnded } from "../access/CallerEnded.ts"
import { type ListWithOwners, makeListWithOwners } from "../crud/IncludedOwners.ts"
import type { LinkNotFound } from "../crud/Links.ts"
import { Resources } from "../crud/Resources.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { Worker } from "../people/Worker.ts"
import type { Collection } from "../resource/Collection.ts"
import type { Resource } from "../resource/Resource.ts"
import { LinkedWorkerId } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import * as Invitation from "./Invitation.ts"

export const FetchRequestFields = Schema.Struct({
  worker: Schema.Struct({ id: LinkedWorkerId }).annotateKey({
    description: "The worker that is asked for credentials. It cannot change."
  }),
  requestedCredentialTypes: CredentialType.Codes.check(
    Schema.isMinLength(1, { message: "must have at least one type" })
  ).annotateKey({ description: "Codes of the requested credential types. They cannot change." }),
  ...Invitation.fields
})
export type FetchRequestFields = typeof FetchRequestFields.Type

/** Credentials that a worker is asked to provide (DECISIONS.md#fields). */
export const FetchRequest = {
  type: "captureRequest",
  naming: { by: "minting", kind: "captureRequest" },
  collection: "fetch-requests",
  fields: FetchRequestFields,
  computed: Invitation.computed,
  fixed: [{ path: ["worker", "id"] }, { path: ["requestedCredentialTypes"] }],
  defaults: Invitation.defaults,
  personal: Invitation.personal,
  links: [{ path: ["worker"], resource: Worker, lookup: "externalId" }],
  verbatim: { until: "expiry_date" },
  columns: { worker_id: { path: ["worker", "id"] }, ...Invitation.columns },
  filters: {
    ownerExternalId: {
      by: "holder",
      holders: [{ column: "worker_id", resource: "worker", lookup: "external_id" }]
    },
    workerId: { by: "equal", column: "worker_id", of: "worker" },
    ...Invitation.filters
  },
  sorts: Invitation.sorts
} as const satisfies Resource<FetchRequestFields>

/** A fetch request asks a worker for a credential of each type. */
export const asking: Invitation.Asking<FetchRequestFields> = {
  resource: FetchRequest,
  personOf: ({ worker }) => ({ type: "worker", id: worker.id }),
  requirementsOf: ({ requestedCredentialTypes }) => ({ credentialTypes: requestedCredentialTypes }),
  name: "fetchRequest"
}

/** Workers per bulk request (DECISIONS.md#fields). */
export const bulkLimit = 50

/** How many of them are written concurrently. */
const bulkConcurrency = 10

/** How a bulk request names a worker. The format is checked with its item. */
export interface WorkerName extends JsonObject {
  readonly id?: string
  readonly externalId?: string
}

/** The result of one worker in a bulk request: the id of the new fetch request, or the error. */
export interface BulkItem {
  readonly worker: WorkerName
  readonly outcome: Result.Result<string, InvalidArgument | WriteError | ItemBroken>
}

/** Creating one item failed with a defect. The list shows whether it was created. */
export class ItemBroken extends Data.TaggedError("ItemBroken") {}

type WriteError = LinkNotFound | Invitation.InvitationClosed

/** The standard use cases for fetch requests, plus their actions and bulk creation. */
export class FetchRequests extends Context.Service<
  FetchRequests,
  Omit<Collection<FetchRequestFields, never, WriteError>, "list"> &
    ListWithOwners<FetchRequestFields> &
    Invitation.Inviting<FetchRequestFields> & {
      /**
       * Creates one for each worker in the given order, two for a worker named twice. `shared` is already validated. A
       * refused item does not stop the others.
       */
      readonly createEach: (
        workers: ReadonlyArray<WorkerName>,
        shared: JsonObject
      ) => Effect.Effect<ReadonlyArray<BulkItem>, never, Caller | RequestId>
    }
>()("@wcs/domain/FetchRequests") {}

export const make = Effect.gen(function* () {
  const listWithOwners = yield* makeListWithOwners
  const inviting = Invitation.makeInviting(yield* Resources, asking)
  const createFor = (worker: WorkerName, shared: JsonObject) =>
    inviting.create({ ...shared, worker }).pipe(
      Effect.map(({ document }) => document.id),
      Effect.result,
      // A defect fails only its own item. If it failed the call, the caller would retry and ask the other workers
      // twice.
      Effect.catchDefect((defect) =>
        defect instanceof CallerEnded
          ? Effect.die(defect)
          : Effect.as(Effect.logError("An item of a bulk request failed.", defect), Result.fail(new ItemBroken()))
      ),
      Effect.map((outcome): BulkItem => ({ worker, outcome }))
    )
  return FetchRequests.of({
    ...inviting,
    ...listWithOwners(inviting.list),
    createEach: (workers, shared) =>
      Effect.forEach(workers, (worker) => createFor(worker, shared), { concurrency: bulkConcurrency })
  })
})

export const layer = Layer.effect(FetchRequests, make)
