import type { AccessStore } from "@wcs/domain/access/AccessStore"
import type { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { SecondFactorStore } from "@wcs/domain/login/SecondFactorStore"
import type { SessionStore } from "@wcs/domain/login/SessionStore"
import type { OwnershipStore } from "@wcs/domain/ownership/OwnershipStore"
import type { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import type { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { UserStore } from "@wcs/domain/user/UserStore"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import type { EventStore } from "@wcs/domain/webhook/EventStore"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as AccessEpoch from "./access/AccessEpoch.ts"
import * as AccessStoreSql from "./access/AccessStoreSql.ts"
import * as SecondFactorStoreSql from "./access/SecondFactorStoreSql.ts"
import * as SessionStoreSql from "./access/SessionStoreSql.ts"
import * as SingleSignOnStoreSql from "./access/SingleSignOnStoreSql.ts"
import * as UserStoreSql from "./access/UserStoreSql.ts"
import * as DeliveryStoreSql from "./delivery/DeliveryStoreSql.ts"
import * as EventStoreSql from "./delivery/EventStoreSql.ts"
import { migrate, migrations } from "./engine/Migrations.ts"
import type { StoreError } from "./engine/StoreError.ts"
import * as ScanStoreSql from "./legacy/ScanStoreSql.ts"
import * as OwnershipStoreSql from "./ownership/OwnershipStoreSql.ts"
import * as ResourceStoreSql from "./resource/ResourceStoreSql.ts"
import * as VerificationStoreSql from "./verification/VerificationStoreSql.ts"

/** The storage ports. */
type Stores =
  | ResourceStore
  | OwnershipStore
  | AccessStore
  | EventStore
  | UserStore
  | ScanStore
  | VerificationStore
  | DeliveryStore
  | SessionStore
  | SecondFactorStore
  | SingleSignOnStore

/**
 * The storage ports on a SQL database, SQLite or Postgres according to the client. Applies all migrations first. The
 * `AccessEpoch` also detects other processes' writes.
 */
export const layerShared: Layer.Layer<Stores, StoreError, SqlClient.SqlClient | AccessEpoch.AccessEpoch> =
  Layer.mergeAll(
    ResourceStoreSql.layer,
    OwnershipStoreSql.layer,
    AccessStoreSql.layer,
    EventStoreSql.layer,
    UserStoreSql.layer,
    ScanStoreSql.layer,
    VerificationStoreSql.layer,
    DeliveryStoreSql.layer,
    SessionStoreSql.layer,
    SecondFactorStoreSql.layer,
    SingleSignOnStoreSql.layer
  ).pipe(Layer.provide(Layer.effectDiscard(migrate(migrations))))

/** The same for a process that is the only writer. */
export const layer: Layer.Layer<Stores, StoreError, SqlClient.SqlClient> = Layer.provide(layerShared, AccessEpoch.layer)
