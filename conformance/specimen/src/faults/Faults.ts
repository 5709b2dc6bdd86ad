import { accessFaults } from "./Access.ts"
import { aftermathFaults } from "./Aftermath.ts"
import { answerFaults } from "./Answers.ts"
import { bodyFaults } from "./Bodies.ts"
import { clientFormFaults } from "./ClientForms.ts"
import { crossingFaults } from "./Crossings.ts"
import { failureFaults } from "./Failures.ts"
import { legacyRoleFaults } from "./LegacyRoles.ts"
import { legacyFaults } from "./LegacySurface.ts"
import { ownerFaults } from "./Owners.ts"
import { pathFaults } from "./Paths.ts"
import { queryFaults } from "./Queries.ts"
import { repetitionFaults } from "./Repetitions.ts"
import { requestFaults } from "./Requests.ts"
import { resourceFaults } from "./Resources.ts"
import { responseFaults } from "./Responses.ts"
import type { Fault } from "./Rows.ts"
import { singlePrivilegeFaults } from "./SinglePrivileges.ts"
import { tokenFaults } from "./Tokens.ts"
import { webLoginFaults } from "./WebLogins.ts"

const all = [
  ...webLoginFaults,
  ...accessFaults,
  ...answerFaults,
  ...legacyFaults,
  ...ownerFaults,
  ...resourceFaults,
  ...requestFaults,
  ...tokenFaults,
  ...singlePrivilegeFaults,
  ...clientFormFaults,
  ...legacyRoleFaults,
  ...crossingFaults,
  ...failureFaults,
  ...queryFaults,
  ...bodyFaults,
  ...pathFaults,
  ...repetitionFaults,
  ...responseFaults,
  ...aftermathFaults
]

/** Every fault of the second server. Of rows at the same place, the last one counts. */
export const faults: ReadonlyArray<Fault> = [
  ...new Map(
    all.map((fault) => [`${fault.point} ${JSON.stringify(Object.entries(fault.place).toSorted())}`, fault])
  ).values()
]

/** The area of a fault, such as OWN. */
export const areaOf = ({ rule }: Fault): string => rule.slice(0, 3)
