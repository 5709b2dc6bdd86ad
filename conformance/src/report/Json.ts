import { Schema } from "effect"
import { Report } from "./Report.ts"

/** The report as JSON: what all else can be made from. */
export const json = (report: Report): string => `${JSON.stringify(Schema.encodeSync(Report)(report), null, 2)}\n`
