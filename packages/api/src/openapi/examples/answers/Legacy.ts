import { ids } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"
import { correlation, number, other, page, requestId, time } from "./Shapes.ts"

const constituent = {
  ...{ id: ids.ann, first_name: "Ann", surname: "Example", date_of_birth: "1990-04-17", email: null },
  ...{ mobile_number: null, external_id: "hr-4711", is_active: true }
}

export const legacy = {
  "legacy.me": {
    ...{ id: number, email: "dana@example.org", first_name: "Ann", surname: "Example" },
    organization: { id: number, name: "default" }
  },
  "legacy.token": { token: shownAs.accessToken, iat: shownAs.issuedAt, exp: shownAs.expiresAt },
  "legacy.organization": { id: number, name: "default", abn: "", is_active: true },
  "legacy.constituents": { data: [constituent], page: 1, page_size: 1, total: 2 },
  "legacy.constituent": constituent,
  "legacy.scan": {
    ...{ correlation_id: correlation(4), status: "queued", type: "wwcc-nsw", identifier: "WWC1234567E" }
  },
  "scans.list": page([
    {
      ...{ id: correlation(4), type: "scan", correlationId: correlation(4), status: "queued", outcome: "MATCHED" },
      ...{ credentialType: "WWCC_NSW", identifier: "WWC1234567E", firstName: "Bo", lastName: "Example" },
      credentialId: ids.credential,
      ...{ account: `urn:wcs:account:${other("acc", 3)}`, requestId, createdAt: time }
    }
  ])
}
