import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { EventStore } from "@wcs/domain/audit/EventStore"
import type { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import type { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as LeaseStore from "@wcs/domain/lease/LeaseStore"
import type { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import type { SessionStore } from "@wcs/domain/session/SessionStore"
import type { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { AccessStore } from "@wcs/domain/token/AccessStore"
import type { UserStore } from "@wcs/domain/user/UserStore"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Layer } from "effect"
import * as AccessStoreMemory from "./AccessStoreMemory.ts"
import * as AuditSealStoreMemory from "./AuditSealStoreMemory.ts"
import * as BacklogStoreMemory from "./BacklogStoreMemory.ts"
import * as DeliveryStoreMemory from "./DeliveryStoreMemory.ts"
import * as EventStoreMemory from "./EventStoreMemory.ts"
import * as MemoryTables from "./MemoryTables.ts"
import * as OwnershipStoreMemory from "./OwnershipStoreMemory.ts"
import * as ResourceStoreMemory from "./ResourceStoreMemory.ts"
import * as ScanStoreMemory from "./ScanStoreMemory.ts"
import * as SecondFactorStoreMemory from "./SecondFactorStoreMemory.ts"
import * as SessionStoreMemory from "./SessionStoreMemory.ts"
import * as SingleSignOnStoreMemory from "./SingleSignOnStoreMemory.ts"
import * as UserStoreMemory from "./UserStoreMemory.ts"
import * as VerificationStoreMemory from "./VerificationStoreMemory.ts"

/**
 * The storage ports over plain maps, lost with the process. Reference model of the other stores.
 *
 * @public
 */
export const layer: Layer.Layer<
  | ResourceStore
  | OwnershipStore
  | AccessStore
  | EventStore
  | AuditSealStore
  | UserStore
  | ScanStore
  | VerificationStore
  | DeliveryStore
  | BacklogStore
  | SessionStore
  | SecondFactorStore
  | SingleSignOnStore
  | LeaseStore.LeaseStore
> = Layer.mergeAll(
  ResourceStoreMemory.layer,
  OwnershipStoreMemory.layer,
  AccessStoreMemory.layer,
  EventStoreMemory.layer,
  AuditSealStoreMemory.layer,
  UserStoreMemory.layer,
  ScanStoreMemory.layer,
  VerificationStoreMemory.layer,
  DeliveryStoreMemory.layer,
  BacklogStoreMemory.layer,
  SessionStoreMemory.layer,
  SecondFactorStoreMemory.layer,
  SingleSignOnStoreMemory.layer,
  LeaseStore.layer
).pipe(Layer.provide(MemoryTables.layer))
