import type { WorkerFields } from "@wcs/domain/people/Worker"

/** Every field of a worker, with text that is easily corrupted. */
export const fullWorker: WorkerFields = {
  identity: {
    displayName: "Zoë Ångström-O'Neill \u{1F600}",
    firstName: "Zoë",
    middleName: 'M\\%_"',
    lastName: "Ångström-O'Neill",
    otherNames: ["Zo", "小枝"],
    birthDate: "1990-02-28"
  },
  contact: { workEmail: "zoe@example.org", personalEmail: "zoe@example.com", mobileNumber: "+61 400 000 000" },
  employment: {
    jobTitle: "Nurse",
    workerType: "CONTRACTOR",
    status: "ON_LEAVE",
    startDate: "2024-02-29",
    endDate: "2026-12-31",
    organisationName: "Care & Co"
  },
  source: { externalId: "HR-0001", sourceSystem: "hr" }
}
