import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import { accessPageSuite } from "./AccessPageSuite.ts"
import { accessStoreSuite } from "./AccessStoreSuite.ts"
import { accessTokenSuite } from "./AccessTokenSuite.ts"
import { auditSuite } from "./AuditSuite.ts"
import { deliveryClaimSuite } from "./DeliveryClaimSuite.ts"
import { deliveryFanOutSuite } from "./DeliveryFanOutSuite.ts"
import { deliveryLogSuite } from "./DeliveryLogSuite.ts"
import { deliveryModelSuite } from "./DeliveryModelSuite.ts"
import { deliveryRedriveSuite } from "./DeliveryRedriveSuite.ts"
import { deliverySettleSuite } from "./DeliverySettleSuite.ts"
import { eventStoreSuite } from "./EventStoreSuite.ts"
import type { Stores } from "./Fixtures.ts"
import { issuedTreeSuite } from "./IssuedTreeSuite.ts"
import { ownershipChangeSuite } from "./OwnershipChangeSuite.ts"
import { ownershipHistorySuite } from "./OwnershipHistorySuite.ts"
import { ownershipModelSuite } from "./OwnershipModelSuite.ts"
import { ownershipStoreSuite } from "./OwnershipStoreSuite.ts"
import { progressionSuite } from "./ProgressionSuite.ts"
import { resourceChangeSuite } from "./ResourceChangeSuite.ts"
import { resourceFindSuite } from "./ResourceFindSuite.ts"
import { resourceListSuite } from "./ResourceListSuite.ts"
import { resourceMostSuite } from "./ResourceMostSuite.ts"
import { resourcePageSuite } from "./ResourcePageSuite.ts"
import { scanStoreSuite } from "./ScanStoreSuite.ts"
import { secondFactorStoreSuite } from "./SecondFactorStoreSuite.ts"
import { sessionStoreSuite } from "./SessionStoreSuite.ts"
import { singleSignOnStoreSuite } from "./SingleSignOnStoreSuite.ts"
import { userStoreSuite } from "./UserStoreSuite.ts"
import { usersTokenSuite } from "./UsersTokenSuite.ts"
import { verdictModelSuite } from "./VerdictModelSuite.ts"
import { verdictRaceSuite } from "./VerdictRaceSuite.ts"
import { verificationBeginSuite } from "./VerificationBeginSuite.ts"
import { verificationClaimSuite } from "./VerificationClaimSuite.ts"
import { verificationConcludeSuite } from "./VerificationConcludeSuite.ts"
import { verificationHistorySuite } from "./VerificationHistorySuite.ts"
import { verificationRunSuite } from "./VerificationRunSuite.ts"
import { verificationTurnSuite } from "./VerificationTurnSuite.ts"

/**
 * What every adapter of the storage ports must do: each sentence of their contracts as a test. The adapter's layer is
 * built once and shared; each test has tenants of its own. Time is real, since engines outside this process know no
 * other.
 */
export const suite = <E>(name: string, adapter: Layer.Layer<Stores, E>): void =>
  layer(adapter, { excludeTestServices: true })(name, (it) => {
    resourceFindSuite(it)
    resourceChangeSuite(it)
    resourceMostSuite(it)
    resourceListSuite(it)
    resourcePageSuite(it)
    ownershipStoreSuite(it)
    ownershipModelSuite(it)
    ownershipHistorySuite(it)
    ownershipChangeSuite(it)
    progressionSuite(it)
    eventStoreSuite(it)
    auditSuite(it)
    accessStoreSuite(it)
    accessTokenSuite(it)
    accessPageSuite(it)
    issuedTreeSuite(it)
    userStoreSuite(it)
    usersTokenSuite(it)
    sessionStoreSuite(it)
    secondFactorStoreSuite(it)
    singleSignOnStoreSuite(it)
    scanStoreSuite(it)
    verificationHistorySuite(it)
    verificationBeginSuite(it)
    verificationRunSuite(it)
    verificationClaimSuite(it)
    verificationTurnSuite(it)
    verificationConcludeSuite(it)
    verdictModelSuite(it)
    verdictRaceSuite(it)
    deliveryFanOutSuite(it)
    deliveryClaimSuite(it)
    deliverySettleSuite(it)
    deliveryLogSuite(it)
    deliveryRedriveSuite(it)
    deliveryModelSuite(it)
  })
