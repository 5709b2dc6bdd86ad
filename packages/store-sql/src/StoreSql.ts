import type { AccessStore } from "@wcs/domain/AccessStore"
import type { EventStore } from "@wcs/domain/EventStore"
import type { OwnershipStore } from "@wcs/domain/OwnershipStore"
import type { ResourceStore } from "@wcs/domain/ResourceStore"
import type { ScanStore } from "@wcs/domain/ScanStore"
import type { UserStore } from "@wcs/domain/UserStore"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as AccessEpoch from "./AccessEpoch.ts"
import * as AccessStoreSql from "./AccessStoreSql.ts"
import * as EventStoreSql from "./EventStoreSql.ts"
import { migrate, migrations } from "./Migrations.ts"
import * as OwnershipStoreSql from "./OwnershipStoreSql.ts"
import * as ResourceStoreSql from "./ResourceStoreSql.ts"
import * as ScanStoreSql from "./ScanStoreSql.ts"
import type { StoreError } from "./StoreError.ts"
import * as UserStoreSql from "./UserStoreSql.ts"

/** The storage ports on a SQL database, SQLite or Postgres as the client is, brought up to this program's schema. */
export const layer: Layer.Layer<
  ResourceStore | OwnershipStore | AccessStore | EventStore | UserStore | ScanStore,
  StoreError,
  SqlClient.SqlClient
> = Layer.mergeAll(
  ResourceStoreSql.layer,
  OwnershipStoreSql.layer,
  AccessStoreSql.layer,
  EventStoreSql.layer,
  UserStoreSql.layer,
  ScanStoreSql.layer
).pipe(Layer.provide(AccessEpoch.layer), Layer.provide(Layer.effectDiscard(migrate(migrations))))
