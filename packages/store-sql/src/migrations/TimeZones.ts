import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import type { Migration } from "../engine/Migration.ts"

/** The time zone of each tenant. The default is for stored tenants, and for those that an earlier version creates. */
export const timeZones: Migration = {
  id: 14,
  name: "time zones",
  statements: ({ text }) => [`ALTER TABLE tenant ADD COLUMN time_zone ${text} NOT NULL DEFAULT '${defaultTimeZone}'`]
}
