import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import type { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import type { AccountNames } from "@wcs/domain/audit/AccountNames"
import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { EventStore } from "@wcs/domain/audit/EventStore"
import type { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import type { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import type { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { DocumentContent } from "@wcs/domain/document/DocumentContent"
import type { DocumentStore } from "@wcs/domain/document/DocumentStore"
import type { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import type { ImportStore } from "@wcs/domain/import/ImportStore"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import type { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { DuplicateStore } from "@wcs/domain/merge/DuplicateStore"
import type { MergeStore } from "@wcs/domain/merge/MergeStore"
import type { MessageStore } from "@wcs/domain/message/MessageStore"
import type { NoteStore } from "@wcs/domain/note/NoteStore"
import type { ProofStore } from "@wcs/domain/proof/ProofStore"
import type { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import type { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import type { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import type { SessionStore } from "@wcs/domain/session/SessionStore"
import * as Notifications from "@wcs/domain/shared/Notifications"
import type { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { AccessStore } from "@wcs/domain/token/AccessStore"
import type { UserStore } from "@wcs/domain/user/UserStore"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { WarningStore } from "@wcs/domain/watch/WarningStore"
import type { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { IsOutage } from "@wcs/http/request/Outage"
import type { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Layer, Option } from "effect"
import { Settings } from "../Settings.ts"
import type { DataDirectory } from "./DataDirectory.ts"
import * as SqliteStores from "./SqliteStores.ts"

/** The storage ports of a store. */
export type Stores =
  | AccessStore
  | UserStore
  | ResourceStore
  | ResourceHistory
  | OwnershipStore
  | ScanStore
  | EventStore
  | AuditSealStore
  | ProofStore
  | AccountNames
  | VerificationStore
  | KeptComplianceStore
  | WarningStore
  | ScheduleStore
  | ErasureStore
  | ImportStore
  | MergeStore
  | DuplicateStore
  | MessageStore
  | AnswerAccessStore
  | DocumentStore
  | DocumentContent
  | NoteStore
  | DeliveryStore
  | BacklogStore
  | LeaseStore
  | SessionStore
  | SecondFactorStore
  | SingleSignOnStore

export type StoresLayer = Layer.Layer<Stores, StartRefused, DataDirectory | Settings>

/** Imported only when a database is used, to keep the start fast. */
const ofDatabase = Effect.promise(() => import("./PostgresStores.ts"))

/** The store of the settings: Postgres, or SQLite in the data directory. */
export const layer: StoresLayer = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ layer }): StoresLayer => layer)
      : Effect.succeed<StoresLayer>(SqliteStores.layer)
  )
)

/** The rate limiter: in this process, or shared through the database. */
export const rateLimiter = Layer.unwrap(
  Settings.use(({ database, rateLimits }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ rateLimiter }) => rateLimiter)
      : Effect.succeed(RateLimiterMemory.layer(rateLimits))
  )
)

/** Notifications: within this process, or between all processes that share the database. */
export const notifications = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ notifications }) => notifications)
      : Effect.succeed(Notifications.layer)
  )
)

/** Detects an unavailable database. */
export const outages = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ isOutage }) => Layer.succeed(IsOutage, isOutage))
      : Effect.succeed(Layer.empty)
  )
)
