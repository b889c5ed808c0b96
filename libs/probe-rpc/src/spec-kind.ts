/** How an ability is called on the wire (`Spec.kind`, `Inventory.spec_kinds`, `Grant.specKind`): `throughput/iperf3`. */
export const specKind = (ability: { readonly measures: string; readonly tool: string }): string =>
  `${ability.measures}/${ability.tool}`;
