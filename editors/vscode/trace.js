// What a step of a trace looks like in a list.

"use strict";

exports.item = (step) => ({
  label: `${step.step}  ${step.thread}`,
  description: step.text,
  tooltip: [
    `${step.function}: ${step.text}`,
    ...step.notes,
    ...(step.held.length > 0 ? [`holds ${step.held.join(", ")}`] : []),
  ].join("\n"),
});
