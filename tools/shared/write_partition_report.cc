#include "tools/shared/write_partition_report.h"

namespace xla {
namespace {

void WriteValue(const PartitionReport::Value& value, JsonWriter& json) {
  json.BeginObject();
  json.Key("computation").String(value.computation);
  json.Key("instruction").String(value.instruction);
  json.Key("opcode").String(value.opcode);
  json.Key("shape").String(value.shape);
  json.Key("sharding").String(value.sharding);
  json.Key("origin").String(value.origin);
  json.EndObject();
}

void WriteMove(const PartitionReport::Move& move, JsonWriter& json) {
  json.BeginObject();
  json.Key("value").String(move.value);
  json.Key("user").String(move.user);
  json.Key("from").String(move.from);
  json.Key("to").String(move.to);
  json.Key("reason").String(move.reason);
  json.Key("transfers").BeginArray();
  for (const ReportedTransfer& transfer : move.transfers) {
    json.BeginObject();
    json.Key("opcode").String(transfer.opcode);
    json.Key("along").String(transfer.along);
    json.Key("bytes").Int(transfer.bytes);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WritePartitionReport(const PartitionReport& report, JsonWriter& json) {
  json.BeginObject();
  json.Key("devices").String(report.devices);
  json.Key("values").BeginArray();
  for (const PartitionReport::Value& value : report.values) WriteValue(value, json);
  json.EndArray();
  json.Key("moves").BeginArray();
  for (const PartitionReport::Move& move : report.moves) WriteMove(move, json);
  json.EndArray();
  json.Key("bytes_along").BeginObject();
  for (const auto& [along, total] : report.TotalsByAxes()) json.Key(along).Int(total.bytes);
  json.EndObject();
  json.EndObject();
}

}  // namespace xla
