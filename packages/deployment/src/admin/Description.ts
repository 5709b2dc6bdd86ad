import { DescribedServer } from "@wcs/admin/ServerDescription"
import { isAdmitted } from "@wcs/delivery/Addresses"
import { selfSignedFile } from "@wcs/node-server/Certificate"
import type { Ports } from "@wcs/node-server/Ports"
import { Effect, Option } from "effect"
import { Settings } from "../Settings.ts"
import { DataDirectory } from "../stores/DataDirectory.ts"

/** Describes the server by its settings and ports. */
export const describedBy = Effect.fnUntraced(function* (ports: Effect.Effect<Ports>) {
  const { deliveries, host, legacyTokenLifetimeSeconds, tls, tokenLifetimeSeconds, webhooks } = yield* Settings
  const { path } = yield* DataDirectory
  const describe = Effect.map(ports, ({ plainPort, port }) => ({
    host: Option.getOrNull(host),
    port,
    plainPort: Option.getOrNull(plainPort),
    tls: tls._tag,
    certificateFile: tls._tag === "SelfSigned" ? selfSignedFile(path) : null,
    tokenLifetimeSeconds,
    legacyTokenLifetimeSeconds,
    deliversToLoopback: webhooks.allowsHttp && isAdmitted("127.0.0.1", deliveries.allowedAddresses)
  }))
  return DescribedServer.of({ describe })
})
