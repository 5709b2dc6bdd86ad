import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import { auditSealSuite } from "./AuditSealSuite.ts"
import { auditSuite } from "./AuditSuite.ts"
import { accessStoreSuite } from "./access/AccessStoreSuite.ts"
import { accessTokenSuite } from "./access/AccessTokenSuite.ts"
import { issuedTreeSuite } from "./access/IssuedTreeSuite.ts"
import { secondFactorStoreSuite } from "./access/SecondFactorStoreSuite.ts"
import { sessionStoreSuite } from "./access/SessionStoreSuite.ts"
import { singleSignOnStoreSuite } from "./access/SingleSignOnStoreSuite.ts"
import { tenantCapsSuite } from "./access/TenantCapsSuite.ts"
import { userStoreSuite } from "./access/UserStoreSuite.ts"
import { usersTokenSuite } from "./access/UsersTokenSuite.ts"
import { answerAccessSuite } from "./answer/AnswerAccessSuite.ts"
import { changesSuite } from "./ChangesSuite.ts"
import { keptComplianceSuite } from "./compliance/KeptComplianceSuite.ts"
import { backlogSuite } from "./delivery/BacklogSuite.ts"
import { deliveryDueSuite } from "./delivery/DeliveryDueSuite.ts"
import { deliveryFanOutSuite } from "./delivery/DeliveryFanOutSuite.ts"
import { nothingDue } from "./delivery/DeliveryFixtures.ts"
import { deliveryLogSuite } from "./delivery/DeliveryLogSuite.ts"
import { deliveryModelSuite } from "./delivery/DeliveryModelSuite.ts"
import { deliveryRedriveSuite } from "./delivery/DeliveryRedriveSuite.ts"
import { deliverySettleSuite } from "./delivery/DeliverySettleSuite.ts"
import { eventStoreSuite } from "./delivery/EventStoreSuite.ts"
import { documentSuite } from "./document/DocumentSuite.ts"
import { type Stores, tenantTest } from "./Fixtures.ts"
import { importSuite } from "./import/ImportSuite.ts"
import { leaseSuite } from "./lease/LeaseSuite.ts"
import { duplicateSuite } from "./merge/DuplicateSuite.ts"
import { mergeSuite } from "./merge/MergeSuite.ts"
import { messageStoreSuite } from "./message/MessageStoreSuite.ts"
import { personalMessageSuite } from "./message/PersonalMessageSuite.ts"
import { noteSuite } from "./note/NoteSuite.ts"
import { ownershipChangeSuite } from "./ownership/OwnershipChangeSuite.ts"
import { ownershipHistorySuite } from "./ownership/OwnershipHistorySuite.ts"
import { ownershipModelSuite } from "./ownership/OwnershipModelSuite.ts"
import { ownershipStoreSuite } from "./ownership/OwnershipStoreSuite.ts"
import { proofSuite } from "./ProofSuite.ts"
import { oversightSuite } from "./resource/OversightSuite.ts"
import { progressionSuite } from "./resource/ProgressionSuite.ts"
import { resourceChangeSuite } from "./resource/ResourceChangeSuite.ts"
import { resourceFindSuite } from "./resource/ResourceFindSuite.ts"
import { resourceHistorySuite } from "./resource/ResourceHistorySuite.ts"
import { resourceListSuite } from "./resource/ResourceListSuite.ts"
import { resourceMostSuite } from "./resource/ResourceMostSuite.ts"
import { scanStoreSuite } from "./ScanStoreSuite.ts"
import { timelineSuite } from "./TimelineSuite.ts"
import { verdictModelSuite } from "./verification/VerdictModelSuite.ts"
import { verdictRaceSuite } from "./verification/VerdictRaceSuite.ts"
import { verificationBeginSuite } from "./verification/VerificationBeginSuite.ts"
import { verificationConcludeSuite } from "./verification/VerificationConcludeSuite.ts"
import { verificationDueSuite } from "./verification/VerificationDueSuite.ts"
import { noRuns } from "./verification/VerificationFixtures.ts"
import { verificationHistorySuite } from "./verification/VerificationHistorySuite.ts"
import { verificationReportSuite } from "./verification/VerificationReportSuite.ts"
import { verificationRunSuite } from "./verification/VerificationRunSuite.ts"
import { verificationTurnSuite } from "./verification/VerificationTurnSuite.ts"
import { scheduleStoreSuite } from "./watch/ScheduleStoreSuite.ts"
import { warningStoreSuite } from "./watch/WarningStoreSuite.ts"

/**
 * Tests the contracts of all storage ports. The adapter's layer is built once and shared; each test has its own
 * tenants. Time is real, since external engines use the real clock.
 */
export const suite = <E>(name: string, adapter: Layer.Layer<Stores, E>): void =>
  layer(adapter, { excludeTestServices: true })(name, (it) => {
    const test = tenantTest(it)
    const deliveryTest = tenantTest(it, nothingDue)
    const runTest = tenantTest(it, noRuns)
    resourceFindSuite(test)
    resourceChangeSuite(test)
    resourceMostSuite(test)
    resourceListSuite(test)
    resourceHistorySuite(test)
    oversightSuite(test)
    ownershipStoreSuite(test)
    ownershipModelSuite(test)
    ownershipHistorySuite(test)
    ownershipChangeSuite(test)
    progressionSuite(test)
    eventStoreSuite(test)
    auditSuite(test)
    auditSealSuite(test)
    proofSuite(test)
    changesSuite(test)
    accessStoreSuite(test)
    accessTokenSuite(test)
    timelineSuite(test)
    issuedTreeSuite(test)
    tenantCapsSuite(test)
    userStoreSuite(test)
    usersTokenSuite(test)
    sessionStoreSuite(test)
    secondFactorStoreSuite(test)
    singleSignOnStoreSuite(test)
    scanStoreSuite(test)
    keptComplianceSuite(test)
    verificationHistorySuite(test)
    verificationReportSuite(test)
    verificationBeginSuite(runTest)
    verificationRunSuite(runTest)
    verificationDueSuite(runTest)
    verificationTurnSuite(runTest)
    warningStoreSuite(test)
    scheduleStoreSuite(test)
    messageStoreSuite(test)
    answerAccessSuite(test)
    personalMessageSuite(test)
    documentSuite(test)
    noteSuite(test)
    importSuite(it)
    mergeSuite(test)
    duplicateSuite(test)
    verificationConcludeSuite(runTest)
    verdictModelSuite(test)
    verdictRaceSuite(test)
    deliveryFanOutSuite(deliveryTest)
    backlogSuite(deliveryTest)
    deliveryDueSuite(deliveryTest)
    deliverySettleSuite(deliveryTest)
    deliveryLogSuite(deliveryTest)
    deliveryRedriveSuite(deliveryTest)
    deliveryModelSuite(deliveryTest)
    leaseSuite(test)
  })
