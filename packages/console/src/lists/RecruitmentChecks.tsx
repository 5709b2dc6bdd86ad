import type { ListKind } from "../listing/ListScreen.tsx"
import { unitFilter } from "../records/Unit.tsx"
import {
  invitationColumns,
  invitationFields,
  invitationFilters,
  invitationRecords,
  personColumn
} from "./Invitation.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"
import { RecordList } from "./RecordList.tsx"
import { useAnyPackageOptions, usePackageOptions } from "./TypeOptions.ts"

export const recruitmentRecords: RecordKind = {
  ...invitationRecords,
  path: "recruitment-checks",
  entity: "credentialCheck",
  noun: "a recruitment check",
  people: ["applicant"],
  added: [{ path: "screeningPackageCode", required: true, options: usePackageOptions }, ...invitationFields]
}

const PackageName = ({ code }: { readonly code: string }) => <>{new Map(useAnyPackageOptions()).get(code) ?? code}</>

const list: ListKind<"GET /recruitment-checks"> = {
  list: "GET /recruitment-checks",
  file: "recruitment-checks",
  query: { sort: "createdAt:desc" },
  title: "Recruitment checks",
  lead: "A recruitment check asks an applicant for the requirements of a screening package. It completes by itself.",
  hasPeople: true,
  columns: [
    personColumn,
    {
      heading: "Package",
      cell: ({ screeningPackageCode }) => <PackageName code={screeningPackageCode} />
    },
    ...invitationColumns
  ],
  filters: [
    { name: "screeningPackageCode", label: "Package", by: useAnyPackageOptions },
    unitFilter,
    ...invitationFilters
  ],
  empty: "There are no recruitment checks.",
  next: "Add one for an applicant. It needs an active screening package."
}

/** Which applicants are asked for the requirements of a position, and how far they are. */
export const RecruitmentChecks = () => <RecordList kind={list} record={recruitmentRecords} />
