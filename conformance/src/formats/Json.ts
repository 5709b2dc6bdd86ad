import { Schema } from "effect"
import { Report } from "../report/Report.ts"

/** Returns the report as JSON, the source of all other reports. */
export const json = (report: Report): string => `${JSON.stringify(Schema.encodeSync(Report)(report), null, 2)}\n`
