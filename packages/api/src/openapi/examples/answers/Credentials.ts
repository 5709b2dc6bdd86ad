import { shown as credentialTypes } from "@wcs/domain/holding/CredentialType"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { resultTexts } from "@wcs/domain/verification/VerificationSource"
import { ids, requests } from "../Requests.ts"
import {
  account,
  answer,
  batch,
  bodyOf,
  correlation,
  created,
  firstOf,
  laterDate,
  other,
  page,
  requestId,
  time
} from "./Shapes.ts"

export const [ownedByBo, ownedByAnn] = [
  { worker: null, applicant: ids.bo },
  { worker: ids.ann, applicant: null }
]

export const ownedByBoth = { worker: ids.ann, applicant: ids.bo }

const valid = { eligibility: "MAY_ENGAGE", statusDetail: "VALID" }

export const verdict = { ...valid, expiryDate: laterDate, errorMessage: null }

const verified = {
  jurisdiction: "NSW",
  ...valid,
  lastCorrelationId: "hire-4711",
  statusSince: time,
  lastVerifiedAt: time
}

const { owners: __, ...sent } = Object(bodyOf("credentials.create")["attributes"])

const credential = (attributes: JsonObject): JsonObject => ({
  ...{ id: ids.credential, type: "credential", attributes: { ...sent, ...attributes }, ...created }
})

const owned = (owners: JsonObject) => credential({ ...verified, expiryDate: laterDate, owners })

const pending = { owners: ownedByBo, jurisdiction: "NSW", lastCorrelationId: correlation(1) }

const verification = { ...verdict, correlationId: "hire-4711", requestId }

export const document = {
  ...{ id: ids.document, type: "document", name: "card.pdf", form: "PDF", bytes: 37, activeContent: "NOT_FOUND" },
  ...{ sha256: "f0088fbaddea52d1081c8dd95a4ec86a5e0d298acf9fea38c9caf0dedb964ade", account, createdAt: time }
}

export const documents = {
  "documents.read": requests["documents.create"]?.text ?? "",
  "documents.create": answer(document),
  "documents.list": answer({
    ...{ documents: [document], deleted: [] },
    space: { documentsOfRecord: 19, documents: 19_998, bytes: 5368709046, bytesOfDocument: 10_485_760 }
  })
}

const { secret: ____, ...gateway } = bodyOf("verificationSources.create")

const source = (further: JsonObject = {}): JsonObject => ({
  ...{ id: ids.source, type: "verificationSource", ...gateway, intervalDays: 7, limits: { callsPerMinute: 60 } },
  ...{ state: "OK", lastSuccessAt: null, lastFault: null, hasSecret: true, ...created },
  ...further
})

const askedTypes = credentialTypes.filter(({ manual, verifiable }) => verifiable && !manual)

const rare = { intervalDays: 1, limits: { callsPerMinute: 10 } }

export const credentials = {
  "credentials.create": answer(credential({ ...pending, eligibility: "IN_PROGRESS", statusDetail: "PENDING" }), {
    correlationId: correlation(1)
  }),
  "credentials.read": answer(
    credential({ ...pending, ...valid, expiryDate: laterDate, statusSince: time, lastVerifiedAt: time })
  ),
  "credentials.list": page([owned(ownedByBo)]),
  "credentials.replace": answer(credential({ ...verified, owners: ownedByBoth, category: "Paid" })),
  "credentials.patch": answer(credential({ ...verified, owners: ownedByBoth, cardType: "Employee" })),
  "credentials.restore": answer(
    credential({ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) }),
    { correlationId: correlation(5) }
  ),
  "credentials.link": answer(owned(ownedByBoth)),
  "credentials.unlink": answer(owned(ownedByAnn)),
  "credentials.transfer": answer(owned(ownedByAnn)),
  "credentials.bulkLink": batch([{ credentialId: ids.credential, status: "linked" }], 1),
  "credentials.bulkTransfer": batch([{ credentialId: ids.credential, status: "transferred" }], 1),
  "credentials.ownership": firstOf({
    ...{ id: other("aud", 3), type: "ownershipChange", action: "transfer", account, bearer: "personal", requestId },
    ...{ createdAt: time, before: ownedByBo, after: ownedByAnn }
  }),
  "credentials.verify": { ...verification, ...answer(verification, { correlationId: "hire-4711" }) },
  "credentials.verifications": firstOf({
    ...{ id: other("vrf", 1), type: "verification", credentialId: ids.credential, correlationId: correlation(1) },
    ...{ requestId, trigger: "create", account, ...verdict, requestedAt: time, verifiedAt: time }
  }),
  "credentials.notices": answer(
    credential({
      ...{ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) },
      ...{ eligibility: "MAY_NOT_ENGAGE", statusDetail: "INTERIM_BARRED" }
    })
  ),
  "credentials.decisions": answer(
    credential({
      ...{ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) },
      ...{ eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" },
      decision: { ...bodyOf("credentials.decisions"), about: ["CONDITIONAL"], decidedAt: time, account }
    })
  ),
  "credentials.decidable": answer({
    about: ["CONDITIONAL"],
    outcomes: ["MAY_ENGAGE", "MAY_NOT_ENGAGE"],
    until: laterDate
  }),
  "credentials.review": answer({
    ...{ id: ids.reviewed, type: "credential" },
    attributes: {
      ...{ credentialType: "WWVP_ACT", identifier: "1234567", owners: ownedByAnn, jurisdiction: "ACT", ...valid },
      ...{ lastCorrelationId: correlation(2), expiryDate: laterDate, statusSince: time, lastVerifiedAt: time }
    },
    ...created
  }),
  "verificationSources.create": answer(source()),
  "verificationSources.list": page([source()]),
  "verificationSources.read": answer(source()),
  "verificationSources.replace": answer(source({ intervalDays: 1 })),
  "verificationSources.patch": answer(source(rare)),
  "verificationSources.pause": answer(source({ ...rare, state: "PAUSED" })),
  "verificationSources.resume": answer(source(rare)),
  "verificationSources.test": answer({ result: "UNREACHABLE", message: resultTexts.UNREACHABLE, state: "AWAY" }),
  "verificationSources.registers": answer(
    askedTypes.map(({ code, displayName, needsAccount }) => ({
      ...{ credentialType: code, displayName, needsAccount },
      ...{ askedBy: "DEPLOYMENT", sourceId: null, state: null }
    }))
  ),
  "verificationSources.monitoring": answer([
    {
      ...{ sourceId: null, credentialTypes: askedTypes.map(({ code }) => code), intervalDays: 7, state: "NEW" },
      ...{ reason: null, message: null, due: 0, running: 0, reachedAt: null, lookedAt: null }
    }
  ])
}
