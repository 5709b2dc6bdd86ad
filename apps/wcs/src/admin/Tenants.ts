import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Flag } from "effect/cli"
import { allTenants, argument, command, orNull, required, tenant } from "./Flags.ts"

const timeZone = argument("time-zone", "IANA name of a time zone, such as Australia/Perth")

const years = argument("years", "Whole years from 1 to 100, or never, which erases nobody")

const host = argument("host", "Host name without a port, such as wcs.example")

/** The commands for tenants and their hosts. */
export const tenantSubcommands = [
  command(
    "create-tenant",
    "Create a tenant with its hosts",
    {
      name: required("name", "Name of the tenant"),
      hosts: required("host", "Host of the tenant, without a port; can be repeated").pipe(Flag.atLeast(1)),
      timeZone: orNull(
        required("time-zone", `IANA time zone of the tenant, such as Australia/Perth; by default ${defaultTimeZone}`)
      )
    },
    (client, payload) => client.createTenant({ payload })
  ),
  command("list-tenants", "List the tenants, oldest first", {}, (client) => client.listTenants()),
  command(
    "set-time-zone",
    "Set the time zone whose days decide expiry dates and verdicts. Servers apply it within a second",
    { tenant, timeZone },
    (client, payload) => client.setTimeZone({ payload })
  ),
  command(
    "set-retention",
    "Set for how many years after their last day workers are kept. Each erasure is announced 30 days before",
    { tenant, years },
    (client, payload) => client.setRetention({ payload })
  ),
  command(
    "add-host",
    "Add a host to a tenant. Servers answer on it within a second",
    { tenant, host },
    (client, payload) => client.addHost({ payload })
  ),
  command(
    "remove-host",
    "Remove a host from a tenant. Servers stop answering on it within a second",
    { tenant, host },
    (client, payload) => client.removeHost({ payload })
  ),
  command("list-hosts", "List the hosts with their tenants", { tenant: allTenants }, (client, payload) =>
    client.listHosts({ payload })
  )
] as const
