// Writes index.d.ts from Halo's operator table: node types/generate.js > index.d.ts. A test compares.
'use strict';

const fs = require('fs');
const path = require('path');

// The IDL's names of dictionaries that are not "ML" + operator + "Options".
const kDictionaryNames = {
  argMax: 'MLArgMinMaxOptions',
  argMin: 'MLArgMinMaxOptions',
  averagePool2d: 'MLPool2dOptions',
  gatherElements: 'MLGatherOptions',
  l2Pool2d: 'MLPool2dOptions',
  maxPool2d: 'MLPool2dOptions',
  reduceL1: 'MLReduceOptions',
  reduceL2: 'MLReduceOptions',
  reduceLogSum: 'MLReduceOptions',
  reduceLogSumExp: 'MLReduceOptions',
  reduceMax: 'MLReduceOptions',
  reduceMean: 'MLReduceOptions',
  reduceMin: 'MLReduceOptions',
  reduceProduct: 'MLReduceOptions',
  reduceSum: 'MLReduceOptions',
  reduceSumSquare: 'MLReduceOptions',
  scatterElements: 'MLScatterOptions',
};

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
const optionsOf = (row) => row.parameters.filter(({ isArgument }) => !isArgument);
const dictionaryOf = (row) => (optionsOf(row).length === 1 ? 'MLOperatorOptions'
    : kDictionaryNames[row.name] ?? `ML${capitalized(row.name)}Options`);

function typeOf(parameter) {
  return {
    boolean: 'boolean',
    integer: 'number',
    float: 'number',
    number: 'MLNumber',
    string: 'string',
    enum: parameter.enumName,
    numbers: 'Iterable<number>',
    integerOrList: 'number | Iterable<number>',
    operand: 'MLOperand',
    activations: 'Iterable<MLActivation | MLRecurrentNetworkActivation>',
  }[parameter.kind];
}

function enumerations(rows, dataTypes) {
  const names = new Map([['MLOperandDataType', dataTypes]]);
  for (const row of rows) {
    for (const { enumName, values } of row.parameters) if (enumName !== undefined) names.set(enumName, values);
  }
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => `export type ${name} = ${values.map((value) => `'${value}'`).join(' | ')};`);
}

function memberLines(parameter) {
  const { name, laterName, later } = parameter;
  const notes = [];
  if (later) notes.push('Later editions.');
  if (parameter.default !== undefined) notes.push(`Default: ${JSON.stringify(parameter.default)}.`);
  const lines = [];
  if (notes.length > 0) lines.push(`  /** ${notes.join(' ')} */`);
  lines.push(`  ${name}?: ${typeOf(parameter)};`);
  if (laterName !== '') lines.push(`  /** \`${name}\`, as later editions call it. */`, `  ${laterName}?: ${typeOf(parameter)};`);
  return lines;
}

function dictionaries(rows) {
  const bodies = new Map();
  for (const row of rows) {
    const name = dictionaryOf(row);
    const members = optionsOf(row).filter((parameter) => parameter.name !== 'label');
    const body = members.flatMap(memberLines).join('\n');
    if (bodies.has(name) && bodies.get(name) !== body) throw new Error(`${name} has other members for ${row.name}`);
    bodies.set(name, body);
  }
  bodies.delete('MLOperatorOptions');
  return [...bodies].sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, body]) => `export interface ${name} extends MLOperatorOptions {\n${body}\n}\n`);
}

// An argument of one edition only gives an overload of its own.
function signatures(row) {
  const operandType = row.isVariadic ? 'Iterable<MLOperand>' : 'MLOperand';
  const operands = row.operands.map(({ name }) => `${name}: ${operandType}`);
  const others = row.parameters.filter(({ isArgument }) => isArgument);
  const options = `options?: ${dictionaryOf(row)}`;
  const result = row.returnsSequence ? 'MLOperand[]' : 'MLOperand';
  const line = (parameters) =>
    `  ${row.name}(${[...operands, ...parameters.map((p) => `${p.name}: ${typeOf(p)}`), options].join(', ')}): ${result};`;
  const lines = [line(others.filter(({ isOptional }) => !isOptional))];
  if (others.some(({ isOptional }) => isOptional)) lines.unshift(line(others));
  if (row.later) lines.unshift('  /** Later editions. */');
  if (row.hasActivationForm) lines.push(`  ${row.name}(${options}): MLActivation;`);
  return lines;
}

function declarations(native) {
  const rows = native.operators().slice().sort((a, b) => (a.name < b.name ? -1 : 1));
  const template = fs.readFileSync(path.join(__dirname, 'index.template.d.ts'), 'utf8');
  const parts = {
    ENUMERATIONS: enumerations(rows, native.dataTypes()).join('\n'),
    DICTIONARIES: dictionaries(rows).join('\n').trimEnd(),
    OPERATORS: rows.flatMap(signatures).join('\n'),
    OPERATOR_NAMES: rows.map(({ name }) => `'${name}'`).join(' | '),
  };
  return template.replace(/^ *\/\/ \{\{(\w+)\}\}$/gm, (line, name) => parts[name]);
}

module.exports = { declarations };

if (require.main === module) process.stdout.write(declarations(require('../lib/native.js').native));
