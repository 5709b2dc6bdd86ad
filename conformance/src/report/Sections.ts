import type { RuleReport } from "./Report.ts"

/** The sections of the specification, with titles in our words. */
export const sections: ReadonlyArray<{ readonly number: string; readonly title: string }> = [
  { number: "1", title: "What there is, and one host for each tenant" },
  { number: "2.1", title: "Resources of the legacy surface" },
  { number: "2.2", title: "Resources of the newer surface" },
  { number: "3", title: "Owner slots and soft delete" },
  { number: "4", title: "Endpoints of both surfaces" },
  { number: "4.1", title: "Endpoints of the legacy surface" },
  { number: "4.2", title: "Endpoints of the newer surface" },
  { number: "5", title: "Who calls" },
  { number: "5.1", title: "Who calls the legacy surface" },
  { number: "5.2", title: "Who calls the newer surface, and what they may do" },
  { number: "6", title: "Events" },
  { number: "7.1", title: "Errors of the newer surface" },
  { number: "7.2", title: "Errors of the token endpoint" },
  { number: "7.3", title: "Errors of the legacy surface" },
  { number: "8", title: "Limits" },
  { number: "9", title: "Versions" }
]

const known = new Set(sections.map(({ number }) => number))

/** Returns the section under which a rule is shown: the first known one of its sections. */
export const sectionOf = ({ sections: from }: Pick<RuleReport, "sections">): string =>
  from.find((number) => known.has(number)) ?? "1"
