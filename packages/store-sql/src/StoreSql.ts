import * as LeaseStore from "@wcs/domain/lease/LeaseStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccessEpoch from "./access/AccessEpoch.ts"
import * as AccessStoreSql from "./access/AccessStoreSql.ts"
import * as AccountNamesSql from "./access/AccountNamesSql.ts"
import * as SecondFactorStoreSql from "./access/SecondFactorStoreSql.ts"
import * as SessionStoreSql from "./access/SessionStoreSql.ts"
import * as SingleSignOnStoreSql from "./access/SingleSignOnStoreSql.ts"
import * as UserStoreSql from "./access/UserStoreSql.ts"
import * as AnswerAccessStoreSql from "./answer/AnswerAccessStoreSql.ts"
import * as AuditSealStoreSql from "./audit/AuditSealStoreSql.ts"
import * as ProofStoreSql from "./audit/ProofStoreSql.ts"
import * as KeptComplianceStoreSql from "./compliance/KeptComplianceStoreSql.ts"
import * as BacklogStoreSql from "./delivery/BacklogStoreSql.ts"
import * as DeliveryStoreSql from "./delivery/DeliveryStoreSql.ts"
import * as EventStoreSql from "./delivery/EventStoreSql.ts"
import * as DocumentContentSql from "./document/DocumentContentSql.ts"
import * as DocumentStoreSql from "./document/DocumentStoreSql.ts"
import { detailOf, distribute, isDistributed } from "./engine/Dialect.ts"
import { migrate, migrations } from "./engine/Migrations.ts"
import { repairRows } from "./engine/Repairs.ts"
import { StoreError } from "./engine/StoreError.ts"
import * as ErasureStoreSql from "./erasure/ErasureStoreSql.ts"
import * as ImportStoreSql from "./import/ImportStoreSql.ts"
import * as LeaseStoreSql from "./lease/LeaseStoreSql.ts"
import * as ScanStoreSql from "./legacy/ScanStoreSql.ts"
import * as DuplicateStoreSql from "./merge/DuplicateStoreSql.ts"
import * as MergeStoreSql from "./merge/MergeStoreSql.ts"
import * as MessageStoreSql from "./message/MessageStoreSql.ts"
import * as NoteStoreSql from "./note/NoteStoreSql.ts"
import * as OwnershipStoreSql from "./ownership/OwnershipStoreSql.ts"
import * as ResourceHistoryStoreSql from "./resource/ResourceHistoryStoreSql.ts"
import * as ResourceStoreSql from "./resource/ResourceStoreSql.ts"
import { fillSearchWords } from "./resource/SearchFill.ts"
import * as VerificationStoreSql from "./verification/VerificationStoreSql.ts"
import * as ScheduleStoreSql from "./watch/ScheduleStoreSql.ts"
import * as WarningStoreSql from "./watch/WarningStoreSql.ts"

/** The storage ports without leases. */
const stores = Layer.mergeAll(
  ResourceStoreSql.layer,
  ResourceHistoryStoreSql.layer,
  OwnershipStoreSql.layer,
  AccessStoreSql.layer,
  EventStoreSql.layer,
  AuditSealStoreSql.layer,
  ProofStoreSql.layer,
  AccountNamesSql.layer,
  UserStoreSql.layer,
  ScanStoreSql.layer,
  VerificationStoreSql.layer,
  KeptComplianceStoreSql.layer,
  WarningStoreSql.layer,
  ScheduleStoreSql.layer,
  ErasureStoreSql.layer,
  ImportStoreSql.layer,
  MergeStoreSql.layer,
  DuplicateStoreSql.layer,
  MessageStoreSql.layer,
  AnswerAccessStoreSql.layer,
  Layer.mergeAll(DocumentStoreSql.layer, DocumentContentSql.layer, NoteStoreSql.layer),
  DeliveryStoreSql.layer,
  BacklogStoreSql.layer,
  SessionStoreSql.layer,
  SecondFactorStoreSql.layer,
  SingleSignOnStoreSql.layer
)

/** Chooses the statements for a Postgres whose tables are distributed by tenant, before any is built. */
const chooseStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* isDistributed(sql))) return
  distribute(sql)
  yield* Effect.logWarning(
    "The tables of tenants are distributed by Citus: statements that name one tenant are used. " +
      "Seals of the audit log are not proven on Citus: after the failure of a node, a seal can lack an entry"
  )
}).pipe(Effect.mapError((error) => new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })))

/** Applies all migrations and repairs. */
export const upgrade = chooseStatements.pipe(
  Effect.andThen(migrate(migrations)),
  Effect.andThen(repairRows),
  Effect.andThen(fillSearchWords)
)

const migrated = Layer.effectDiscard(upgrade)

/**
 * The storage ports on a Postgres that several processes share. Applies all migrations first. The `AccessEpoch` also
 * detects other processes' writes.
 */
export const layerShared = Layer.merge(stores, LeaseStoreSql.layer).pipe(Layer.provide(migrated))

/**
 * The storage ports on a SQLite database that only this process writes to. Applies all migrations first. Leases are in
 * memory, so a restarted worker need not wait for those of its crashed predecessor.
 */
export const layer = Layer.merge(stores, LeaseStore.layer).pipe(
  Layer.provide(migrated),
  Layer.provide(AccessEpoch.layer)
)

/** The storage ports. */
export type Stores = Layer.Success<typeof layer>
