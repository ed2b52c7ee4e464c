// Times a classifier of Weka: java -cp weka.jar WekaBench.java CLASS TABLE.arff BUILDS
//
// Prints the number of leaves, then the nanoseconds of each build. The start of the virtual machine and the reading of
// the table are not counted. The first build is what Weka itself would report; later ones are warm.
import java.io.BufferedReader;
import java.io.FileReader;
import weka.classifiers.Classifier;
import weka.core.AdditionalMeasureProducer;
import weka.core.Instances;

public class WekaBench {
    public static void main(String[] arguments) throws Exception {
        Instances table;
        try (BufferedReader reader = new BufferedReader(new FileReader(arguments[1]))) {
            table = new Instances(reader);
        }
        table.setClassIndex(table.numAttributes() - 1);
        int builds = Integer.parseInt(arguments[2]);
        long[] nanoseconds = new long[builds];
        Classifier tree = null;
        for (int k = 0; k < builds; ++k) {
            tree = Classifier.forName(arguments[0], new String[0]);
            long start = System.nanoTime();
            tree.buildClassifier(table);
            nanoseconds[k] = System.nanoTime() - start;
        }
        System.out.println(leaves(tree));
        for (long one : nanoseconds) System.out.println(one);
    }

    static long leaves(Classifier tree) {
        if (tree instanceof AdditionalMeasureProducer)
            return (long) ((AdditionalMeasureProducer) tree).getMeasure("measureNumLeaves");
        return tree.toString().lines().filter(line -> line.contains(": ")).count();
    }
}
