import type { Stores } from "@wcs/deployment/stores/Stores"
import type * as Rules from "@wcs/domain/service/Rules"
import { Context, Layer } from "effect"

const changed = <Services, Id extends Services, Service extends object>(
  layer: Layer.Layer<Services>,
  key: Context.Key<Id, Service>,
  change: (service: Service) => Partial<Service>
): Layer.Layer<Services> =>
  Layer.flatMap(layer, (context) => {
    const service = Context.get(context, key)
    return Layer.succeedContext(Context.add(context, key, { ...service, ...change(service) }))
  })

/** Replaces methods of one port; `change` gets the original. */
export const store =
  <Id extends Stores, Port extends object>(port: Context.Key<Id, Port>, change: (port: Port) => Partial<Port>) =>
  (stores: Layer.Layer<Stores>): Layer.Layer<Stores> =>
    changed(stores, port, change)

/** Replaces methods of one rule service; `change` gets the original. */
export const rules =
  <Id extends Layer.Success<typeof Rules.layer>, Service extends object>(
    service: Context.Key<Id, Service>,
    change: (standard: Service) => Partial<Service>
  ) =>
  (standard: typeof Rules.layer): typeof Rules.layer =>
    changed(standard, service, change)
