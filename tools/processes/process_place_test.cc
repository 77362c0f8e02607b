#include "tools/processes/process_place.h"

#include <map>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<ProcessPlace> PlaceOf(Variables variables, const std::string& rendezvous = "") {
  return PlaceFromEnvironment(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? absl::nullopt : absl::optional<std::string>(found->second);
      },
      rendezvous);
}

// Without the flag's name.
std::string ErrorOf(Variables variables) {
  const std::string message(PlaceOf(std::move(variables)).status().message());
  EXPECT_EQ(message.substr(0, 15), "--distributed: ");
  return message.substr(15);
}

TEST(ProcessPlace, IsWhatTorchrunSays) {
  const auto place = PlaceOf({{"RANK", "2"},
                              {"WORLD_SIZE", "4"},
                              {"MASTER_ADDR", "10.0.0.1"},
                              {"MASTER_PORT", "29500"},
                              {"TORCHELASTIC_RUN_ID", "x"}});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->index, 2);
  EXPECT_EQ(place->count, 4);
  EXPECT_EQ(place->rendezvous, "tcp:10.0.0.1:29500");
  EXPECT_EQ(place->launch_token, "TORCHELASTIC_RUN_ID=x");
  EXPECT_EQ(place->Prefix(), "rank 2: ");
}

TEST(ProcessPlace, OfOneProcessNeedsNoPlaceToMeet) {
  const auto place = PlaceOf({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->rendezvous, "");
  EXPECT_EQ(place->Prefix(), "");
}

TEST(ProcessPlace, IsWhatOpenMpiSays) {
  Variables variables = {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  EXPECT_EQ(ErrorOf(variables),
            "nothing says where the processes meet: set MASTER_ADDR and MASTER_PORT, or give --rendezvous");
  const auto place = PlaceOf(variables, "file:/shared/here");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->index, 1);
  EXPECT_EQ(place->rendezvous, "file:/shared/here");
}

TEST(ProcessPlace, IsWhatSlurmSays) {
  Variables variables = {
      {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_NODELIST", "node[03-04]"}, {"SLURM_JOB_ID", "123456"}};
  const auto place = PlaceOf(variables);
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->index, 3);
  EXPECT_EQ(place->rendezvous, "tcp:node03:18456");
  EXPECT_EQ(place->launch_token, "SLURM_JOB_ID=123456");
  variables.erase("SLURM_JOB_ID");
  EXPECT_EQ(ErrorOf(variables), "SLURM_JOB_ID is not set, though SLURM_PROCID is");
  variables.erase("SLURM_JOB_NODELIST");
  EXPECT_EQ(ErrorOf(variables), "SLURM_JOB_NODELIST is not set, though SLURM_PROCID is; or set MASTER_ADDR");
  // Torchrun inside of a Slurm job.
  variables.insert({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "1"}});
  EXPECT_EQ(PlaceOf(variables)->count, 2);
}

TEST(ProcessPlace, NamesTheVariableThatIsWrong) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("no launcher has said which process this is: RANK and WORLD_SIZE are not set"));
  EXPECT_EQ(ErrorOf({{"RANK", "0"}}), "WORLD_SIZE is not set, though RANK is");
  EXPECT_EQ(ErrorOf({{"WORLD_SIZE", "2"}}), "RANK is not set, though WORLD_SIZE is");
  EXPECT_EQ(ErrorOf({{"RANK", "one"}, {"WORLD_SIZE", "2"}}), "RANK is 'one', expected a number from 0 to 4096");
  EXPECT_EQ(ErrorOf({{"RANK", "2"}, {"WORLD_SIZE", "2"}}),
            "RANK is 2 and WORLD_SIZE is 2: ranks are numbered from 0 to WORLD_SIZE - 1");
  EXPECT_EQ(ErrorOf({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}}),
            "MASTER_PORT is not set, though MASTER_ADDR is");
  EXPECT_EQ(ErrorOf({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "1"}}),
            "MASTER_ADDR is not set, though MASTER_PORT is");
  EXPECT_EQ(ErrorOf({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
            "RANK and WORLD_SIZE say process 0 of 2, OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE say process 1 of 2; "
            "unset one pair");
}

TEST(FirstHost, IsReadFromListsAsSlurmWritesThem) {
  const auto first = [](absl::string_view list) {
    const auto host = FirstHostOf(list);
    return host.ok() ? *host : "none";
  };
  EXPECT_EQ(first("alone"), "alone");
  EXPECT_EQ(first("a,b"), "a");
  EXPECT_EQ(first("node[03-05,9],login"), "node03");
  EXPECT_EQ(first("n[7]"), "n7");
  EXPECT_EQ(first("rack[1-2]-a,b"), "rack1-a");
  for (const char* const wrong : {"", ",a", "n[", "n[]", "n[7"}) EXPECT_EQ(first(wrong), "none") << wrong;
}

}  // namespace
}  // namespace xla
