import type { PrivilegeRules } from "@wcs/domain/access/Privilege"
import type { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { AuditSignatures } from "@wcs/domain/audit/AuditSignatures"
import type { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { DocumentContent } from "@wcs/domain/document/DocumentContent"
import type { DocumentStore } from "@wcs/domain/document/DocumentStore"
import type { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import type { ImportStore } from "@wcs/domain/import/ImportStore"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import type { Composing } from "@wcs/domain/message/Composing"
import type { MessageStore } from "@wcs/domain/message/MessageStore"
import type { Messages } from "@wcs/domain/message/Messages"
import type { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import type { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import type { Digest } from "@wcs/domain/shared/Digest"
import type { Ids } from "@wcs/domain/shared/Id"
import type { Notifications } from "@wcs/domain/shared/Notifications"
import type { Register } from "@wcs/domain/verification/Register"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { WarningStore } from "@wcs/domain/watch/WarningStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Layer, Scope } from "effect"
import * as Sealing from "./audit/Sealing.ts"
import * as Delivering from "./Delivering.ts"
import * as Erasing from "./erasure/Erasing.ts"
import * as ForgettingAnswers from "./erasure/ForgettingAnswers.ts"
import * as ForgettingDocuments from "./erasure/ForgettingDocuments.ts"
import * as FanningOut from "./FanningOut.ts"
import * as Forgetting from "./Forgetting.ts"
import * as Importing from "./import/Importing.ts"
import * as Measures from "./Measures.ts"
import * as ForgettingMessages from "./message/ForgettingMessages.ts"
import * as Sending from "./message/Sending.ts"
import type { Sender } from "./Sender.ts"
import type { Signature } from "./Signature.ts"
import * as Verifying from "./Verifying.ts"
import * as Evaluating from "./watch/Evaluating.ts"
import * as Scheduling from "./watch/Scheduling.ts"
import * as Warning from "./watch/Warning.ts"

/** Starts the parts. They stop in parallel, so that one does not use up the time of the others. */
const started = <R>(further: Effect.Effect<void, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const whole = yield* Scope.fork(yield* Effect.scope, "parallel")
      const own = <A, R>(part: Effect.Effect<A, never, R>) =>
        Effect.flatMap(Scope.fork(whole), (scope) => Scope.provide(part, scope))
      yield* Measures.begin
      yield* own(Forgetting.start)
      yield* own(Sealing.start)
      yield* own(FanningOut.start(yield* own(Delivering.start)))
      yield* own(Verifying.start)
      yield* own(Evaluating.start)
      yield* own(Warning.start)
      yield* own(Scheduling.start)
      yield* own(Erasing.start)
      yield* own(Importing.start)
      yield* own(ForgettingDocuments.start)
      yield* own(ForgettingAnswers.start)
      yield* own(ForgettingMessages.start)
      yield* own(further)
    }).pipe(Effect.annotateLogs({ service: "worker" }))
  )

/** The services of a worker. */
type Needed =
  | DeliveryStore
  | VerificationStore
  | ResourceStore
  | KeptComplianceStore
  | AuditSealStore
  | LeaseStore
  | WarningStore
  | ScheduleStore
  | ErasureStore
  | ImportStore
  | DocumentStore
  | DocumentContent
  | AnswerAccessStore
  | MessageStore
  | Register
  | Notifications
  | Ids
  | Digest
  | AuditSignatures
  | Sender
  | Signature

/**
 * The worker: verifies credentials, fans events out, attempts deliveries, warns of cards that expire, keeps the
 * compliance of workers, erases people, carries out imports and seals the audit log while the layer lives.
 * Any number of workers share one store. When its scope closes, it takes no new work, finishes what is in flight within
 * `EngineSettings.stopMillis` and releases the rest.
 */
export const layer: Layer.Layer<never, never, Needed> = started(Effect.void)

/** The worker, which also sends messages to users. */
export const layerWithMessages: Layer.Layer<never, never, Needed | Messages | Composing | PrivilegeRules> = started(
  Sending.start
)
